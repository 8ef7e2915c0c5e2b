/** A sub-agent as one row, which unfolds to what it did (AC16). */
import type { ReactNode } from 'react'
import type { ThreadTurn } from '../../../src/protocol/threads/thread-turn.ts'
import type { Strand, ToolCall } from '../../../src/protocol/turns/agent-update.ts'
import { AgentIcon } from '../parts/icons.tsx'
import { StateDot } from '../shell/state-dot.tsx'
import { useWords } from '../translations/messages.tsx'
import { Step } from './step.tsx'
import { ToolContent } from './tool-row.tsx'

interface StrandRowProps {
  readonly strand: Strand
  /** The call that it is. */
  readonly call: ToolCall | undefined
  /** In a turn that is over nothing runs, whatever the agent said last. */
  readonly turn: ThreadTurn['state']
  readonly children: ReactNode
}

export function StrandRow({ strand, call, turn, children }: StrandRowProps) {
  const { console: words } = useWords()
  const isOver = strand.state !== 'running' && strand.state !== 'asking'
  const state = isOver || turn === 'running' ? strand.state : 'done'
  return (
    <Step
      data-strand={strand.id}
      icon={<AgentIcon />}
      verb={words.subAgent}
      title={strand.title}
      end={
        <>
          {state === 'running' && <StateDot state="working" />}
          {state === 'asking' && <StateDot state="waiting" />}
          {state === 'failed' && <StateDot state="failed" />}
          <span>{words.strandStates[state]}</span>
        </>
      }
    >
      <div className="flex min-w-0 flex-col gap-1.5 border-l border-line pl-2">
        {children}
        {call && <ToolContent call={call} />}
      </div>
    </Step>
  )
}
