/**
 * Recognizes agent output that is no answer although the turn ended normally (CX5): a model's error or a vendor's limit (AG6).
 * The patterns were recorded with real agents; the exchanges are in test/domain/turns/dialects.test.ts. Everything else is an
 * answer. Pure.
 */
interface Dialect {
  /** The name in ACP's `agentInfo`; null: any agent. */
  readonly agent: string | null
  readonly says: 'error' | 'limit'
  /** Matches all text since the last tool call. The group `words`, if any, is what is reported. */
  readonly pattern: RegExp
}

const codex = '@agentclientprotocol/codex-acp'
const copilot = 'Copilot'
const pi = 'pi-acp'

const dialects: readonly Dialect[] = [
  { agent: codex, says: 'error', pattern: /^(?:Warning: [^\n]*\n\s*)*(?<words>\{"error":\{"message":.*\}\})$/ },
  {
    agent: codex,
    says: 'error',
    pattern: /^(?:Warning: [^\n]*\n\s*)*(?<words>exceeded retry limit, last status: \d{3}\b[^\n]*)$/,
  },
  { agent: codex, says: 'error', pattern: /^(?:Warning: [^\n]*\n\s*)*(?<words>unexpected status \d{3} [^\n]*)$/ },
  {
    agent: codex,
    says: 'error',
    pattern:
      /^(?:Warning: [^\n]*\n\s*)*(?<words>We[’']re currently experiencing high demand, which may cause temporary errors\.)$/,
  },
  { agent: copilot, says: 'error', pattern: /^(?:Info: [^.\n]*\. Retrying\.\.\.)*(?<words>Error: [45]\d\d [^\n]*)$/ },
  {
    agent: copilot,
    says: 'error',
    pattern:
      /^(?:Info: [^.\n]*\. Retrying\.\.\.)*(?<words>Error: (?:Failed to get response from the AI model; retried|Authentication failed with provider at|Could not connect to local model provider at) .*)$/s,
  },
  { agent: pi, says: 'error', pattern: /^(?:Retrying \(attempt \d+\/\d+, waiting \d+s\)\.\.\.)+Retry finished, resuming\.$/ },
  {
    agent: null,
    says: 'limit',
    pattern:
      /^\W*(?:(?:Claude(?: AI| Code)? )?(?:usage|session|weekly|\d+-hour|daily) limit reached|you(?:['’]ve| have) (?:hit|reached) your\b[^.]{0,40}\blimit)/i,
  },
]

/** Agents that end without text after a tool call when their model fails. */
const silentOnError: ReadonlySet<string> = new Set([pi])

/** Longer texts are answers. */
const maxChars = 2000

/** Returns the text with which an agent reports `what`; undefined when it is an answer. */
export function notAnAnswer(what: Dialect['says'], agent: string | null, said: string): string | undefined {
  const trimmed = said.trim()
  if (trimmed.length > maxChars) return undefined
  for (const dialect of dialects) {
    if (dialect.says !== what || (dialect.agent !== null && dialect.agent !== agent)) continue
    const found = dialect.pattern.exec(trimmed)
    if (found) return found.groups?.['words'] ?? trimmed
  }
  return undefined
}

/** Whether the missing text after the last tool call means that the model failed. */
export const endedInSilence = (agent: string | null, said: string): boolean =>
  said.trim() === '' && agent !== null && silentOnError.has(agent)
