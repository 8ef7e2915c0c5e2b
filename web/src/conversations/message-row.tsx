/**
 * One message: who wrote it, when, and what. What a person wrote stands in a box, as it was written; what an agent wrote is Markdown on the
 * page, made of our own elements (SE6).
 */
import { memo, type ReactNode } from 'react'
import { ProblemError } from '../../../src/client/client.ts'
import type { Message } from '../../../src/protocol/conversations/message.ts'
import type { PartialAnswer } from '../live/chat.ts'
import type { Unsent } from '../live/outbox.ts'
import { AgentText } from '../markdown/agent-text.tsx'
import { Button } from '../parts/button.tsx'
import { AgentIcon } from '../parts/icons.tsx'
import { describeProblem } from '../parts/problem-note.tsx'
import { useSaid, useWords, useWriting } from '../translations/messages.tsx'

const Text = ({ children, className }: { children: string; className: string }) => (
  <p className={`whitespace-pre-wrap [overflow-wrap:anywhere] ${className}`}>{children}</p>
)

const boxClass = 'rounded-md bg-sunken px-3 py-2 shadow-[inset_0_0_0_1px_var(--line)]'

interface MessageRowProps {
  readonly message: Message
  readonly name: string
  readonly byAgent: boolean
  /** The one before is by the same sender, a moment ago. */
  readonly goesOn: boolean
  /** The one that was looked for. */
  readonly chosen?: boolean
}

export const MessageRow = memo(function MessageRow({ message, name, byAgent, goesOn, chosen = false }: MessageRowProps) {
  const { chat } = useWords()
  const translate = useSaid()
  const writing = useWriting()
  const marks = [
    message.priority !== 'normal' && chat.priorities[message.priority],
    // Elsewhere there is only one to talk to.
    message.receiverId === null && !byAgent && message.conversationKey.startsWith('web:') && chat.everybody,
  ].filter((mark) => mark !== false)
  return (
    <li
      className={`${goesOn ? 'pt-1' : 'pt-4'} ${chosen ? 'rounded-md bg-accent-wash px-2 pb-2 -mx-2' : ''}`}
      data-seq={message.seq}
      aria-current={chosen || undefined}
    >
      {(!goesOn || marks.length > 0) && (
        <Head name={name} byAgent={byAgent}>
          <time dateTime={message.createdAt} title={writing.exact(message.createdAt)} className="tabular-nums">
            {writing.clock(Date.parse(message.createdAt))}
          </time>
          {marks.map((mark) => (
            <span key={mark} className={message.priority === 'urgent' ? 'font-medium text-bad' : ''}>
              {mark}
            </span>
          ))}
        </Head>
      )}
      {byAgent ? (
        <AgentText text={translate(message.content, message.notice)} />
      ) : (
        <Text className={boxClass}>{message.content}</Text>
      )}
    </li>
  )
})

/** Shows an answer that is still being written (CH12). Screen readers announce it when it is complete. */
export const PartialAnswerRow = ({ saying, name }: { saying: PartialAnswer; name: string }) => (
  <li className="pt-4" data-saying={saying.turnId} aria-live="off">
    <Head name={name} byAgent>
      <span className="motion-safe:animate-pulse" aria-hidden="true">
        …
      </span>
    </Head>
    <AgentText text={saying.text} />
  </li>
)

const Head = ({ name, byAgent, children }: { name: string; byAgent: boolean; children: ReactNode }) => (
  <div className="mb-1 flex flex-wrap items-center gap-x-2 text-sm text-faint">
    <span className="flex min-w-0 items-center gap-1.5 font-medium text-ink">
      {byAgent && <AgentIcon className="size-3.5 text-accent" />}
      <span className="truncate">{name}</span>
    </span>
    {children}
  </div>
)

interface UnsentRowProps {
  readonly unsent: Unsent
  readonly name: string
  readonly live: boolean
  readonly onAgain: () => void
  readonly onDiscard: () => void
}

/** Grey until the server has it. */
export function UnsentRow({ unsent, name, live, onAgain, onDiscard }: UnsentRowProps) {
  const words = useWords()
  const { chat } = words
  const { refused } = unsent
  return (
    <li className="pt-4" data-unsent={unsent.clientId}>
      <Head name={name} byAgent={false}>
        {refused ? <span className="font-medium text-bad">{chat.refused}</span> : <span>{live ? chat.sending : chat.kept}</span>}
      </Head>
      <Text className={`${boxClass} text-faint`}>{unsent.content}</Text>
      {refused && (
        <div role="alert" className="mt-1 flex flex-wrap items-center gap-2 text-sm text-bad">
          <span className="min-w-0 flex-1">{told(refused, words)}</span>
          <Button onClick={onAgain}>{chat.sendAgain}</Button>
          <Button look="quiet" onClick={onDiscard}>
            {words.act.discard}
          </Button>
        </div>
      )}
    </li>
  )
}

function told(problem: NonNullable<Unsent['refused']>, words: ReturnType<typeof useWords>): string {
  const { title, next } = describeProblem(new ProblemError(problem), words)
  return `${title} · ${next}`
}
