"""The table of rules: every kind of secret that is found by how it looks.

The first six are the classes that the `terum-skills` command line hides too. They are matched
exactly as there, placeholders included, so that neither client shows what the other hides.
The forms are those that the providers publish or that their tokens have been seen to have.
"""

from collections.abc import Callable

from receipts.scrub import assignments, aws, encoded, headers, keyblocks, split
from receipts.scrub.rule import WORD, Rule, standing_alone
from receipts.scrub.values import is_filled_in, is_placeholder

SHARED = (
    Rule("github-token", "GitHub personal access token", ("ghp_",), r"ghp_[A-Za-z0-9]{20,}+"),
    Rule(
        "github-fine-grained-token",
        "GitHub fine-grained personal access token",
        ("github_pat_",),
        r"github_pat_[A-Za-z0-9_]{20,}+",
    ),
    Rule(
        "anthropic-key",
        "Anthropic API key, admin key or OAuth token",
        ("sk-ant-",),
        r"sk-ant-[A-Za-z0-9_-]{10,}+",
    ),
    Rule("aws-access-key-id", "AWS access key id", ("AKIA",), r"AKIA[0-9A-Z]{16}"),
    Rule("private-key", "private key block", ("PRIVATE KEY-----",), finder=keyblocks.closed),
    Rule(
        "bearer-jwt",
        "signed token behind `Bearer`",
        ("Bearer",),
        r"Bearer\s++eyJ[A-Za-z0-9_-]++\.[A-Za-z0-9_-]++\.[A-Za-z0-9_-]++",
    ),
)


def _token(
    name: str,
    what: str,
    prefix: str,
    least: int,
    body: str = "A-Za-z0-9",
    *,
    accept: Callable[[str], bool] = is_filled_in,
) -> Rule:
    """Return the rule for tokens with a prefix of their own.

    Args:
        name: The rule's name.
        what: What it is.
        prefix: The prefixes, with `|` between them.
        least: The fewest characters of what follows.
        body: The class of those characters.
        accept: Judges what was found.
    """
    prefixes = tuple(prefix.split("|"))
    starts = "|".join(_start(text.replace(".", r"\.")) for text in prefixes)
    return Rule(name, what, prefixes, rf"(?:{starts})[{body}]{{{least},}}+", accept)


def _start(prefix: str) -> str:
    """Return a pattern for a prefix: one with an underscore inside could end no word by chance."""
    return prefix if "_" in prefix and len(prefix) > 3 else standing_alone(prefix)


def _has_digit(token: str) -> bool:
    """Say whether a token has a digit, where its form alone could be a name in a program."""
    return is_filled_in(token) and any(character.isdigit() for character in token)


def _is_no_name(token: str) -> bool:
    """Say whether a token of letters alone is too long to name a class, as `AutoModel` does."""
    return is_filled_in(token) and (len(token) >= 33 or not token[3:].isalpha())


_DASHED = "A-Za-z0-9_-"
_HEX = "0-9a-f"

_CODE_AND_PACKAGES = (
    _token(
        "github-app-token", "GitHub OAuth, user, server or refresh token", "gho_|ghu_|ghs_|ghr_", 20
    ),
    _token(
        "gitlab-token",
        "GitLab access, runner, deploy, trigger or feed token",
        "glpat-|gldt-|glrt-|glrtr-|glcbt-|glptt-|glft-|glimt-|glagent-|gloas-|glsoat-|glffct-|GR1348941",
        20,
        _DASHED,
    ),
    _token(
        "bitbucket-token",
        "Bitbucket app password or access token",
        "ATBB|ATCTT3",
        24,
        "A-Za-z0-9_=-",
    ),
    _token("atlassian-token", "Atlassian API token", "ATATT3", 50, "A-Za-z0-9_=-"),
    _token("npm-token", "npm access token", "npm_", 20),
    Rule(
        "pypi-token",
        "PyPI upload token",
        ("pypi-",),
        standing_alone("pypi-") + r"(?:AgE[A-Za-z0-9_-]{16,}+|[A-Za-z0-9_-]{50,}+)",
        _has_digit,
    ),
    _token("rubygems-token", "RubyGems API key", "rubygems_", 40),
    _token("nuget-key", "NuGet API key", "oy2", 43, "a-z0-9"),
    _token("docker-token", "Docker Hub access token", "dckr_pat_|dckr_oat_", 20, _DASHED),
    _token("artifactory-token", "Artifactory key or reference token", "AKCp|cmVmd", 55),
    _token("buildkite-token", "Buildkite token", "bkua_", 32),
    _token("circleci-token", "CircleCI token", "CCIPAT_|CCIPRJ_", 30, _DASHED),
    _token("sonar-token", "SonarQube token", "sqp_|squ_|sqa_", 40),
    _token("postman-key", "Postman API key", "PMAK-", 40, _DASHED),
)

_MODELS = (
    _token("openrouter-key", "OpenRouter key", "sk-or-v1-", 20),
    _token("langfuse-key", "Langfuse secret key", "sk-lf-", 30, "A-Za-z0-9-"),
    # An older key is one run of letters and digits; a newer one names its kind and has dashes.
    Rule(
        "openai-key",
        "OpenAI key, or one of the many services that write theirs alike",
        ("sk-",),
        standing_alone("sk-")
        + r"(?:(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{20,}+"
        + r"|(?>(?:[A-Za-z0-9]{1,16}+[-_]){0,3})[A-Za-z0-9]{20,}+[A-Za-z0-9_-]*+)",
        is_filled_in,
    ),
    _token("xai-key", "xAI key", "xai-", 20),
    _token("groq-key", "Groq key", "gsk_", 20),
    _token("perplexity-key", "Perplexity key", "pplx-", 20),
    _token("replicate-token", "Replicate token", "r8_", 24),
    _token("hugging-face-token", "Hugging Face token", "hf_|api_org_", 20, accept=_is_no_name),
    _token("nvidia-key", "NVIDIA key", "nvapi-", 40, _DASHED),
    _token("cerebras-key", "Cerebras key", "csk-", 40),
    _token("fireworks-key", "Fireworks key", "fw_", 22),
    _token(
        "langsmith-key", "LangSmith key", "lsv2_pt_|lsv2_sk_", 30, "A-Za-z0-9_", accept=_has_digit
    ),
    _token("pinecone-key", "Pinecone key", "pcsk_", 30, "A-Za-z0-9_", accept=_has_digit),
    _token("tavily-key", "Tavily key", "tvly-", 20, _DASHED),
    _token("firecrawl-key", "Firecrawl key", "fc-", 32, _HEX),
    _token("apify-token", "Apify token", "apify_api_", 30),
    _token("elevenlabs-key", "ElevenLabs key", "sk_", 48, _HEX),
)

_CLOUDS = (
    Rule(
        "aws-session-id",
        "AWS temporary access key id",
        ("ASIA",),
        r"ASIA(?=[A-Z]{0,15}+[0-9])[0-9A-Z]{16}",
    ),
    Rule("aws-secret-key", "AWS secret key beside its id", ("AKIA", "ASIA"), finder=aws.beside_id),
    _token("google-api-key", "Google API key", "AIza", 30, _DASHED),
    _token("google-oauth-token", "Google OAuth access token", "ya29.", 20, _DASHED),
    _token("google-refresh-token", "Google OAuth refresh token", "1//0", 30, _DASHED),
    _token("google-client-secret", "Google OAuth client secret", "GOCSPX-", 20, _DASHED),
    Rule(
        "azure-storage-key",
        "Azure storage or bus key in a connection string",
        ("accountkey", "sharedaccesskey"),
        r"(?:AccountKey|SharedAccessKey)\s{0,4}+=\s{0,4}+(?P<secret>[A-Za-z0-9+/]{20,}+={0,2}+)",
        ignores_case=True,
    ),
    Rule(
        "azure-signature",
        "signature of an Azure shared access URL",
        ("sig=",),
        r"[?&;\s]sig=(?P<secret>[A-Za-z0-9%+/_-]{20,}+={0,2}+)",
        is_filled_in,
    ),
    Rule(
        "azure-client-secret",
        "Azure application secret",
        ("Q~",),
        standing_alone("[A-Za-z0-9_~.]") + r"[A-Za-z0-9_~.]{2}\dQ~[A-Za-z0-9_~.-]{31,}+",
    ),
    Rule(
        "azure-ai-key",
        "Azure AI service key",
        ("JQQJ99",),
        standing_alone("[A-Za-z0-9]") + r"[A-Za-z0-9]{51}JQQJ99[A-Za-z0-9]{20,}+",
    ),
    Rule(
        "cloudflare-key",
        "Cloudflare origin key or API token",
        ("v1.0-", "cfut_", "cfat_", "cfk_"),
        r"(?:v1\.0-[0-9a-f]{24}-[0-9a-f]{100,}+|(?:cfut|cfat|cfk)_[A-Za-z0-9]{40,}+)",
    ),
    _token("digitalocean-token", "DigitalOcean token", "dop_v1_|doo_v1_|dor_v1_", 40),
    _token("databricks-token", "Databricks token", "dapi", 32, "0-9a-h"),
    _token("alibaba-key-id", "Alibaba Cloud key id", "LTAI", 20),
    _token("heroku-key", "Heroku key", "HRKU-", 30, _DASHED),
    _token("vercel-token", "Vercel token", "vcp_|vci_|vca_|vcr_|vck_", 24),
    _token("netlify-token", "Netlify token", "nfp_|nfc_|nfo_|nfu_", 36),
    _token("fly-token", "Fly.io token", "fm1r_|fm2_|fo1_", 40, "A-Za-z0-9+/=_-"),
    _token(
        "supabase-key",
        "Supabase token or secret key",
        "sbp_|sb_secret_",
        20,
        _DASHED,
        accept=_has_digit,
    ),
    _token(
        "planetscale-token",
        "PlanetScale password or token",
        "pscale_pw_|pscale_tkn_|pscale_oauth_",
        32,
        "A-Za-z0-9_.=-",
    ),
    _token("neon-key", "Neon API key", "napi_", 40),
    Rule(
        "terraform-token",
        "Terraform Cloud token",
        (".atlasv1.",),
        standing_alone("[A-Za-z0-9]") + r"[A-Za-z0-9]{9,19}+\.atlasv1\.[A-Za-z0-9_-]{50,}+",
    ),
    _token("pulumi-token", "Pulumi token", "pul-", 40, _HEX),
    _token(
        "vault-token", "HashiCorp Vault token", "hvs.|hvb.|hvr.", 20, _DASHED, accept=_has_digit
    ),
    Rule(
        "doppler-token",
        "Doppler token",
        ("dp.",),
        standing_alone(r"dp\.")
        + r"(?:pt|st|ct|sa|scim|audit|said)\.(?>(?:[A-Za-z0-9_-]{2,35}\.)?)[A-Za-z0-9]{36,}+",
    ),
    _token("tailscale-key", "Tailscale key", "tskey-", 20, "A-Za-z0-9-"),
    _token(
        "onepassword-token", "1Password service account token", "ops_eyJ", 100, "A-Za-z0-9+/=_-"
    ),
    Rule(
        "age-key",
        "age secret key",
        ("age-secret-key-",),
        r"AGE-SECRET-KEY-(?:PQ-)?1[0-9A-Z]{50,}+",
        ignores_case=True,
    ),
)

_SERVICES = (
    Rule(
        "slack-token",
        "Slack token",
        ("xox", "xapp-", "xwfp-"),
        r"(?:xox[a-z](?>(?:\.xox[a-z])?)-|xapp-|xwfp-)[A-Za-z0-9-]{10,}+",
        is_filled_in,
    ),
    Rule(
        "webhook-url",
        "Slack, Discord or Teams webhook",
        ("hooks.slack.com/", "/api/webhooks/", "webhook.office.com/"),
        r"(?:hooks\.slack\.com/(?:services|workflows|triggers)/|discord(?:app)?\.com/api/webhooks/"
        r"|webhook\.office\.com/webhookb2/)(?P<secret>[A-Za-z0-9@/_-]{24,}+)",
        is_filled_in,
    ),
    Rule(
        "discord-token",
        "Discord bot or user token",
        (".",),
        rf"(?:{standing_alone('[MNO]', WORD + '.-')}"
        r"[A-Za-z0-9_-]{22,28}+\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}+"
        r"|mfa\.[A-Za-z0-9_-]{80,}+)",
        lambda token: any(c.isdigit() for c in token) and token != token.lower(),
    ),
    Rule(
        "telegram-token",
        "Telegram bot token",
        (":A",),
        standing_alone("[0-9]", "0-9") + r"[0-9]{7,9}+:A[A-Za-z0-9_-]{34,}+",
        is_filled_in,
    ),
    Rule(
        "stripe-key",
        "Stripe secret or restricted key, or webhook secret",
        ("sk_live_", "sk_test_", "rk_live_", "rk_test_", "sk_prod_", "rk_prod_", "whsec_"),
        r"(?:[rs]k_(?:live|test|prod)_[A-Za-z0-9]{10,}+|whsec_[A-Za-z0-9+/]{20,}+={0,2}+)",
        is_filled_in,
    ),
    _token("square-token", "Square token or secret", "sq0atp-|sq0csp-", 20, _DASHED),
    _token("square-access-token", "Square access token", "EAAA", 56, _DASHED),
    _token("shopify-token", "Shopify token", "shpat_|shpca_|shppa_|shpss_", 20),
    Rule(
        "sendgrid-key",
        "SendGrid key",
        ("SG.",),
        standing_alone(r"SG\.") + r"[A-Za-z0-9_-]{16,}+\.[A-Za-z0-9_-]{16,}+",
        is_filled_in,
    ),
    Rule(
        "twilio-key",
        "Twilio account or API key id",
        ("SK", "AC"),
        rf"(?:{standing_alone('SK')}|{standing_alone('AC')})[0-9a-f]{{32,}}+",
    ),
    Rule(
        "mailgun-key",
        "Mailgun key",
        ("-",),
        rf"(?:{standing_alone('key-', WORD + '-')}[0-9a-f]{{32,}}+"
        rf"|{standing_alone('[0-9a-f]')}[0-9a-f]{{31}}-[0-9a-f]{{8}}-[0-9a-f]{{8,}}+)",
    ),
    Rule(
        "mailchimp-key",
        "Mailchimp key",
        ("-us",),
        standing_alone("[0-9a-f]") + r"[0-9a-f]{31}-us[0-9]{1,2}+",
    ),
    _token("brevo-key", "Brevo key", "xkeysib-|xsmtpsib-", 40, _DASHED),
    Rule(
        "resend-key",
        "Resend key",
        ("re_",),
        standing_alone("re_") + r"[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}+",
        is_filled_in,
    ),
    _token("linear-key", "Linear key or token", "lin_api_|lin_oauth_", 20),
    _token("notion-token", "Notion token", "ntn_|secret_", 40),
    _token("figma-token", "Figma token", "figd_|figo_|figu_|figr_", 20, _DASHED),
    Rule(
        "airtable-token",
        "Airtable token",
        ("pat",),
        standing_alone("pat") + r"[A-Za-z0-9]{14}\.[0-9a-f]{60,}+",
    ),
    _token("hubspot-token", "HubSpot token", "pat-na1-|pat-na2-|pat-eu1-|pat-ap1-", 32, "0-9a-f-"),
    _token("grafana-token", "Grafana token", "glsa_|glc_eyJ", 32, "A-Za-z0-9+/=_"),
    _token("sentry-token", "Sentry token", "sntrys_|sntryu_", 40, "A-Za-z0-9+/=_-"),
    _token("new-relic-key", "New Relic key", "NRAK-|NRII-|NRJS-", 19, _DASHED),
    _token("dynatrace-token", "Dynatrace token", "dt0c01.|dt0s16.", 50, "A-Z0-9."),
)

_GENERAL = (
    # A signed token, whole or cut off; the encrypted form has five parts.
    Rule(
        "jwt",
        "signed token (JWT)",
        ("eyJ",),
        standing_alone("eyJ", WORD + "-")
        + r"[A-Za-z0-9_-]{10,}+(?:\.eyJ[A-Za-z0-9_-]{6,}+(?>(?:\.[A-Za-z0-9_-]*+)?)"
        r"|(?:\.[A-Za-z0-9_-]{6,}+){2}(?>(?:\.[A-Za-z0-9_-]*+){0,2}))",
    ),
    Rule(
        "cut-private-key",
        "private key block without its end or its beginning",
        ("PRIVATE KEY", "Private-Lines:"),
        finder=keyblocks.cut,
    ),
    Rule(
        "encoded-private-key",
        "private key block in base64",
        ("b3BlbnNzaC1rZXktdjE", "LS0tLS1CRUdJTi"),
        r"(?:b3BlbnNzaC1rZXktdjE"
        r"|LS0tLS1CRUdJTi(?:BQUklWQVRF|BSU0Eg|BFQyBQ|BPUEVOU1NI|BFTkNSWVBURU|BQR1AgUFJJ|BEU0Eg))"
        r"(?>(?:[A-Za-z0-9+/_-]|(?:\\+[nr]|\r?\n[ \t]{0,16}+)(?=[A-Za-z0-9+/]{16}))*)={0,2}+",
    ),
    Rule(
        "encoded-token",
        "well-known token in base64",
        encoded.STARTS,
        encoded.PATTERN,
        encoded.is_token,
    ),
    Rule(
        "url-password",
        "password or token in the user part of a URL",
        ("://",),
        finder=headers.url_passwords,
    ),
    Rule(
        "authorization-header",
        "credentials in an Authorization header",
        ("authorization",),
        finder=headers.authorization,
        ignores_case=True,
    ),
    Rule(
        "bearer-token",
        "token behind `Bearer`",
        ("bearer",),
        finder=headers.bearer,
        ignores_case=True,
    ),
    Rule("cookie", "value of a cookie", ("cookie",), finder=headers.cookies, ignores_case=True),
    Rule(
        "login-argument",
        "password on a command line or in a netrc file",
        ("curl", "sshpass", "machine"),
        finder=headers.logins,
    ),
    Rule(
        "docker-login",
        "registry login in a Docker or npm configuration",
        ('auth"', 'auth\\"', "_auth"),
        r"(?:\"auth\\?\"\s{0,8}:\s{0,8}\\?\"|_auth\s{0,4}=\s{0,4}\"?)(?P<secret>[A-Za-z0-9+/]{12,}+={0,2}+)",
        lambda value: not is_placeholder(value),
    ),
    Rule(
        "assignment",
        "value assigned to a name that says password, token, secret or key",
        assignments.KEYWORDS,
        finder=assignments.assigned,
        ignores_case=True,
    ),
)

_BY_LOOK = (*SHARED, *_CODE_AND_PACKAGES, *_MODELS, *_CLOUDS, *_SERVICES, *_GENERAL)

RULES = (*_BY_LOOK, *split.rules())
"""Every rule, the most telling first: where two find the same place, the earlier one names it."""
