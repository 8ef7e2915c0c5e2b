/**
 * What agents say that is no answer, though they end their turn as if all were well (CX5): a model's error, or that a limit of their vendor's
 * is reached (AG6). Data, as it was recorded with real agents; the exchanges are in test/domain/turns/dialects.test.ts. What no entry knows
 * is an answer. Pure.
 */
interface Dialect {
  /** As in `agentInfo` of ACP; null: whoever it is. */
  readonly agent: string | null
  readonly says: 'error' | 'limit'
  /** All it said since its last tool call. The group `words` is what is told of it; without one, all. */
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

/** Agents that end with nothing after a tool call when their model fails. */
const silentOnError: ReadonlySet<string> = new Set([pi])

/** What is no answer is short. */
const maxChars = 2000

/** The words in which an agent says `what`; undefined: it is an answer. */
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

/** It said nothing after its last tool call, and that means that its model has failed. */
export const endedInSilence = (agent: string | null, said: string): boolean =>
  said.trim() === '' && agent !== null && silentOnError.has(agent)
