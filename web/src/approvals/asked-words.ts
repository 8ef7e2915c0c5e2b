/** What an agent asks leave for (UI25), in words: above what is asked, or in a line. Pure. */
import { type Wanted, wantedOf } from '../../../src/protocol/approvals/wanted.ts'
import type { ToolCall } from '../../../src/protocol/turns/agent-update.ts'
import type { AskingWords } from './words.ts'

interface AskedWords {
  readonly wanted: Wanted
  readonly before: string
  /** The file, host or command; undefined: the words around it say all. */
  readonly named: string | undefined
  readonly after: string
}

export function askedWords(
  call: ToolCall,
  form: 'heads' | 'lines',
  words: AskingWords,
  shortPath: (path: string) => string,
): AskedWords {
  const wanted = wantedOf(call)
  const { what, about, more } = wanted
  const named = shortPath(about)
  // A question that the agent puts itself needs no words around it.
  if (what === 'other' && /[?？]$/.test(named)) return { wanted, before: '', named, after: '' }
  const [before = '', after] = words[form][what].split('{}')
  const others = more === 0 ? '' : words.more(more)
  return after === undefined
    ? { wanted, before, named: undefined, after: '' }
    : { wanted, before, named, after: `${others}${after}` }
}

export const joined = ({ before, named = '', after }: AskedWords): string =>
  `${before}${named}${after}`
