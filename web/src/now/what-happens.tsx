/** What a row of Now is about, in a line: what is asked or said, why it failed, what is done. */
import type { ReactNode } from 'react'
import type { Approval } from '../../../src/protocol/approvals/approval.ts'
import type { ListedConversation } from '../../../src/protocol/conversations/conversation.ts'
import { isOpen } from '../approvals/waiting.ts'
import { oneLine } from '../shell/listed-views.ts'
import { useSaid, useWords } from '../translations/messages.tsx'
import { askedTitle } from '../translations/sandbox-requests.ts'
import { reasonText } from '../work/reason-text.ts'
import type { NowRow } from './now-rows.ts'

export function WhatHappens({ row }: { row: NowRow }): ReactNode {
  const { now, continuity, workSessions } = useWords()
  const saidOf = useSaid()
  const asked = useAsked()
  const { approvals, talk, work, other } = row
  if (approvals.length > 0) {
    const first = approvals.find(isOpen) ?? approvals[0]
    const open = approvals.filter(isOpen).length
    return (
      <>
        {first && asked(first)}
        {open > 1 && <span className="text-faint"> {now.of(1, open)}</span>}
      </>
    )
  }
  if (work) {
    const { setAside, interruptionReason: reason } = work
    return setAside ? continuity.setAside : reason ? reasonText(workSessions, reason) : ''
  }
  if (other) return other.word
  if (!talk) return ''
  if (row.state === 'failed' || row.state === 'interrupted' || row.state === 'finished') {
    const last = talk.lastMessage
    return last ? oneLine(saidOf(last.beginning, last.notice)) : ''
  }
  return <Doing talk={talk} />
}

/** What is asked for, in a line. */
export function useAsked(): (approval: Approval) => string {
  const words = useWords()
  return ({ permission, question, instructionContent, checkpointType }) => {
    if (permission) return askedTitle(permission.call.title, words)
    const kind = question ? words.approvals.question : readableKind(checkpointType)
    return (instructionContent && oneLine(instructionContent)) || kind
  }
}

/** What an agent calls its kind, such as plan_review, as words. */
const readableKind = (kind: string): string => {
  const words = kind.replaceAll(/[_-]+/g, ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** The tool it uses at this moment, or what else it does. */
function Doing({ talk }: { talk: ListedConversation }): ReactNode {
  const { running: words } = useWords()
  const count = talk.doing?.subAgents ?? 0
  return (
    <>
      <DoingItself talk={talk} />
      {count > 0 && ` · ${words.subAgents(count)}`}
    </>
  )
}

function DoingItself({ talk }: { talk: ListedConversation }): ReactNode {
  const { running: words, console: states } = useWords()
  const { activity, waitsFor, doing, workplace } = talk
  if (waitsFor) return words.waitsForFolder
  if (activity !== 'working') return states.states[activity ?? 'working']
  if (doing?.tool) {
    const folder = workplace?.folder
    const title = folder ? doing.tool.title.replaceAll(`${folder}/`, '') : doing.tool.title
    return (
      <>
        {states.tools[doing.tool.toolKind]} <span className="font-mono text-xs">{title}</span>
      </>
    )
  }
  return words.steps[doing?.step ?? 'none']
}
