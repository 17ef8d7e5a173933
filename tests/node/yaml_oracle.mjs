// Answers what npm `yaml` makes of texts and values: one JSON document a line, in and out.
//
//   {"text": t}   -> {"error": m} | {"throws": m} | {"data": d, "yaml": y}
//   {"data": d}   -> {"yaml": y} | {"throws": m}
//
// Data is tagged, so that identity, every number and every JavaScript class survive:
//   null, true, "text" | ["n", "1.5"] | ["l", items] | ["m", pairs] | ["M", pairs] | ["S", items]
//   | ["d", iso] | ["b", hex] | ["r", index of the object, in the order met]
import { createInterface } from 'node:readline'
import YAML from 'yaml'

process.removeAllListeners('warning')
process.emitWarning = () => {}

function tagged(value, seen) {
  if (typeof value === 'number') return ['n', Object.is(value, -0) ? '-0' : String(value)]
  if (typeof value === 'symbol') return ['symbol', String(value)]
  if (value === null || typeof value !== 'object') return value
  if (seen.has(value)) return ['r', seen.get(value)]
  seen.set(value, seen.size)
  const pairs = entries => [...entries].map(([k, v]) => [tagged(k, seen), tagged(v, seen)])
  if (Array.isArray(value)) return ['l', value.map(item => tagged(item, seen))]
  if (value instanceof Map) return ['M', pairs(value)]
  if (value instanceof Set) return ['S', [...value].map(item => tagged(item, seen))]
  if (value instanceof Date) return ['d', value.toJSON()]
  if (Buffer.isBuffer(value)) return ['b', value.toString('hex')]
  return ['m', pairs(Object.entries(value))]
}

function untagged(data, made) {
  if (!Array.isArray(data)) return data
  const [kind, content] = data
  if (kind === 'n') return Number(content)
  if (kind === 'r') return made[content]
  const value = kind === 'l' ? [] : {}
  made.push(value)
  if (kind === 'l') for (const item of content) value.push(untagged(item, made))
  else
    for (const [key, item] of content) {
      const options = { enumerable: true, configurable: true, writable: true }
      Object.defineProperty(value, key, { ...options, value: untagged(item, made) })
    }
  return value
}

function read(text) {
  let document
  try {
    document = YAML.parseDocument(text)
  } catch (error) {
    return { crash: String(error) }
  }
  if (document.errors.length > 0) return { error: document.errors[0].message }
  let data
  try {
    data = document.toJS()
  } catch (error) {
    return { throws: String(error) }
  }
  try {
    return { data: tagged(data, new Map()), yaml: YAML.stringify(data) }
  } catch (error) {
    return { unwritable: String(error) }
  }
}

function write(data) {
  try {
    return { yaml: YAML.stringify(untagged(data, [])) }
  } catch (error) {
    return { throws: String(error) }
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line)
  const answer = 'text' in request ? read(request.text) : write(request.data)
  process.stdout.write(JSON.stringify(answer) + '\n')
}
