// Answers what JavaScript makes of patterns without flags: one JSON document a line, in and out.
//
//   {"pattern": p, "texts": [t, …]} -> {"error": m} | {"found": [true, false, …]}
//   {"lower": t}                    -> {"lower": t}
import { createInterface } from 'node:readline'

function answer({ pattern, texts, lower }) {
  if (lower !== undefined) return { lower: lower.toLowerCase() }
  try {
    const regex = new RegExp(pattern)
    return { found: texts.map(text => regex.test(text)) }
  } catch (error) {
    return { error: String(error) }
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(JSON.stringify(answer(JSON.parse(line))) + '\n')
}
