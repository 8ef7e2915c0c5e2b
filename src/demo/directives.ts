/**
 * Parses directives in double brackets, so that every flow can be tried without a model or a key.
 * Other text is echoed. Pure.
 */
export type Directive =
  | { readonly do: 'echo' | 'say' | 'ask' | 'question' | 'title' | 'run'; readonly text: string }
  | { readonly do: 'record' | 'checkpoint' | 'tool'; readonly text: string }
  | { readonly do: 'tell'; readonly agentId: string; readonly text: string }
  | { readonly do: 'slow'; readonly count: number; readonly ms: number }
  /** `asks`: only with a person's permission. */
  | { readonly do: 'write'; readonly path: string; readonly text: string; readonly asks?: true }
  | { readonly do: 'flood'; readonly bytes: number }
  | { readonly do: 'limit'; readonly seconds: number }
  | { readonly do: Bare }

const bare = [
  'plan',
  'recall',
  'hang',
  'crash',
  'ignore-cancel',
  'ignore-sigterm',
  'fork',
  'no-logout',
] as const
type Bare = (typeof bare)[number]

/** What `[[tour]]` stands for: one turn with everything that agents do (UI6). */
const tour: readonly Directive[] = [
  { do: 'title', text: 'A tour with the demo agent' },
  {
    do: 'say',
    text: 'Hello! I am the demo agent: a script instead of a model. This is what an agent does:\n',
  },
  { do: 'plan' },
  { do: 'run', text: '' },
  {
    do: 'write',
    path: 'hello.md',
    text: '# Hello\n\nWritten by the demo agent, after you allowed it.\n',
    asks: true,
  },
  {
    do: 'say',
    text: '\nWrite `[[plan]]`, `[[run]]`, `[[ask]]` or `[[write FILE TEXT]]`, and I do it again.',
  },
]

/** Upper bound, to keep a demo harmless. */
const maxPieces = 10_000
const maxPauseMs = 600_000
const mostBytes = 2 ** 31
const maxLimitSeconds = 30 * 86_400

export function stepsIn(message: string): Directive[] {
  const steps: Directive[] = []
  const rest = message.replaceAll(
    /\[\[([a-z-]+)(?:\s+([\s\S]*?))?\]\]/g,
    (written, name: string, given = '') => {
      if (name === 'tour' && given === '') {
        steps.push(...tour)
        return ''
      }
      const step = stepOf(name, given.trim())
      if (!step) return written
      // Recalls only once, however often the text contains it.
      if (step.do !== 'recall' || !steps.some((each) => each.do === 'recall')) steps.push(step)
      return ''
    },
  )
  const text = rest.trim()
  // The greeting beside a tour is answered by it.
  if (steps[0] === tour[0]) return steps
  return text !== '' || steps.length === 0 ? [...steps, { do: 'echo', text }] : steps
}

function stepOf(name: string, given: string): Directive | undefined {
  if (isWorded(name)) return { do: name, text: given }
  if (name === 'write') {
    const [, path = '', text = ''] = /^(\S+)\s*([\s\S]*)$/.exec(given) ?? []
    return path === '' ? undefined : { do: 'write', path, text }
  }
  if (name === 'tell') {
    const [, agentId = '', text = ''] = /^(\S+)\s+([\s\S]+)$/.exec(given) ?? []
    // Directives cannot be nested, so those for another agent are written in braces.
    return agentId === ''
      ? undefined
      : { do: 'tell', agentId, text: text.replaceAll('{{', '[[').replaceAll('}}', ']]') }
  }
  if (name === 'slow') {
    const [count, ms] = numbersIn(given, [maxPieces, maxPauseMs])
    return count === undefined || ms === undefined ? undefined : { do: 'slow', count, ms }
  }
  if (name === 'flood') {
    const [bytes] = numbersIn(given, [mostBytes])
    return bytes === undefined ? undefined : { do: 'flood', bytes }
  }
  if (name === 'limit') {
    const [seconds] = numbersIn(given, [maxLimitSeconds])
    return seconds === undefined ? undefined : { do: 'limit', seconds }
  }
  return isBare(name) && given === '' ? { do: name } : undefined
}

const worded = ['say', 'ask', 'question', 'record', 'checkpoint', 'tool', 'run'] as const
const isWorded = (name: string): name is (typeof worded)[number] =>
  (worded as readonly string[]).includes(name)

const isBare = (name: string): name is Bare => (bare as readonly string[]).includes(name)

/** Parses as many whole numbers as there are bounds; returns none when one is out of bounds. */
function numbersIn(given: string, bounds: readonly number[]): readonly number[] {
  const words = given.split(/\s+/)
  if (words.length !== bounds.length || !words.every((word) => /^\d{1,10}$/.test(word))) return []
  const numbers = words.map(Number)
  return numbers.every((number, index) => number <= (bounds[index] ?? 0)) ? numbers : []
}
