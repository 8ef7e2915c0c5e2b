/**
 * What an agent asks leave for (UI25): a head that says what it wants, then the command, the change
 * or whatever else it is, then why, in its own words. Nothing of it is left out (AP4).
 */

import { Fragment, type ReactNode } from 'react'
import {
  cautionOf,
  reasonOf,
  restOf,
  type Wanted,
  wantedOf,
} from '../../../src/protocol/approvals/wanted.ts'
import type { ToolCall } from '../../../src/protocol/turns/agent-update.ts'
import { askedWords, joined } from '../approvals/asked-words.ts'
import { useAskingWords } from '../approvals/words.ts'
import { AgentText } from '../markdown/agent-text.tsx'
import { ToolContent } from './tool-row.tsx'
import { useShortPath } from './workplace.ts'

/** The head as text, and as it is shown. */
export function useAskedHead(): (call: ToolCall, form?: 'heads' | 'lines') => AskedHead {
  const asking = useAskingWords()
  const shortPath = useShortPath()
  return (call, form = 'heads') => {
    const words = askedWords(call, form, asking, shortPath)
    const { wanted, before, named, after } = words
    const said = { what: wanted.what, text: joined(words) }
    if (named === undefined || wanted.what === 'other') return { ...said, shown: said.text }
    return {
      ...said,
      shown: (
        <>
          {before}
          <code className="font-mono text-[0.92em]">{named}</code>
          {after}
        </>
      ),
    }
  }
}

interface AskedHead {
  readonly what: Wanted['what']
  readonly text: string
  readonly shown: ReactNode
}

const commandClass =
  'max-h-72 overflow-auto rounded-md border border-warn/30 bg-raised px-3 py-2 font-mono text-xs ' +
  'whitespace-pre-wrap [overflow-wrap:anywhere]'

export function AskedCall({ call }: { call: ToolCall }) {
  const asking = useAskingWords()
  const reason = reasonOf(call)
  const caution = cautionOf(call)
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <Thing call={call} />
      {(reason !== undefined || caution !== undefined) && (
        <p className="text-sm text-quiet [overflow-wrap:anywhere]">
          {reason !== undefined && <span dir="auto">{asking.quoted(reason)} </span>}
          {caution && <span className="text-warn">{asking.cautions[caution]}</span>}
        </p>
      )}
    </div>
  )
}

/** The thing itself. */
function Thing({ call }: { call: ToolCall }) {
  const { what, about } = wantedOf(call)
  const rest = restOf(call)
  // Cut, or in a form that is not known: as it came.
  if (rest === undefined || call.cut) return <ToolContent call={call} asked="" />
  const plan = what === 'plan' ? planIn(call, rest) : undefined
  if (plan !== undefined)
    return (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keyboard
      <div tabIndex={0} className="max-h-96 overflow-y-auto">
        <AgentText text={plan} />
      </div>
    )
  if (what === 'run')
    return (
      <>
        <Command text={about} />
        <Fields fields={rest} />
        {call.content.length > 0 && <ToolContent call={{ ...call, input: null }} />}
      </>
    )
  if (what === 'host') return null
  if (what === 'folder') return <Command text={about} />
  return <ToolContent call={call} asked={about} />
}

/** One plan and nothing beside it. */
function planIn(call: ToolCall, rest: readonly (readonly [string, unknown])[]): string | undefined {
  const said = call.content.flatMap((each) => (each.type === 'text' ? [each.text] : []))
  const given = rest.flatMap(([, value]) => (typeof value === 'string' ? [value] : []))
  const all = [...new Set([...said, ...given])]
  return all.length === 1 && given.length === rest.length ? all[0] : undefined
}

const Command = ({ text }: { text: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keyboard
  <pre tabIndex={0} dir="ltr" className={commandClass}>
    {text}
  </pre>
)

/** What a command is called with besides, such as where. */
function Fields({ fields }: { fields: readonly (readonly [string, unknown])[] }) {
  const shortPath = useShortPath()
  if (fields.length === 0) return null
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 text-xs text-quiet">
      {fields.map(([name, value]) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd className="font-mono [overflow-wrap:anywhere]">
            {typeof value === 'string' ? shortPath(value) : JSON.stringify(value)}
          </dd>
        </Fragment>
      ))}
    </dl>
  )
}
