/**
 * One message: who wrote it, when, and what. What a person wrote stands in a box, as it was
 * written; what an agent wrote is Markdown on the page, made of our own elements (SE6).
 */
import { memo } from 'react'
import type { Message } from '../../../../src/protocol/conversations/message.ts'
import type { PromptPart } from '../../../../src/protocol/turns/prompt.ts'
import { AgentText } from '../../markdown/agent-text.tsx'
import { useSaid, useWords } from '../../translations/messages.tsx'
import { PromptText } from '../../turns/prompt-text.tsx'
import { Head } from '../../turns/turn-view.tsx'

/** What was attached; other programs may have put anything there. */
const attachmentsOf = (media: unknown): PromptPart[] =>
  (Array.isArray(media) ? media : []).filter((part): part is PromptPart =>
    /^(?:image|file|link)$/.test(String((part as PromptPart | null)?.type)),
  )

/** The tools that a message calls (CV14); other programs may have put anything there. */
const calledTools = (toolCalls: unknown): string =>
  (Array.isArray(toolCalls) ? toolCalls : [])
    .map((call) => String(call?.function?.name ?? call?.name ?? '?'))
    .join(', ')

/** What the server tells in a chat: nobody's words, an agent's least of all. */
const isFromServer = ({ senderId, notice }: Message): boolean =>
  senderId === 'system' && notice !== null && notice !== undefined

interface MessageRowProps {
  readonly message: Message
  readonly name: string
  readonly byAgent: boolean
  /** The one before is by the same sender, a moment ago. */
  readonly goesOn: boolean
  /** The one that was looked for. */
  readonly chosen?: boolean
}

export const MessageRow = memo(function MessageRow({
  message,
  name,
  byAgent,
  goesOn,
  chosen = false,
}: MessageRowProps) {
  const { chat } = useWords()
  const translate = useSaid()
  if (isFromServer(message))
    return (
      <p
        role="status"
        data-seq={message.seq}
        className="pt-4 text-sm whitespace-pre-wrap text-warn [overflow-wrap:anywhere]"
      >
        {translate(message.content, message.notice)}
      </p>
    )
  const marks = [
    message.priority !== 'normal' && chat.priorities[message.priority],
    // Elsewhere there is only one to talk to; what was imported was to nobody here.
    message.receiverId === null &&
      message.clientId !== null &&
      !byAgent &&
      message.conversationKey.startsWith('web:') &&
      chat.everybody,
  ].filter((mark) => mark !== false)
  return (
    <div
      className={`${goesOn ? 'pt-1' : 'pt-4'} ${chosen ? 'rounded-md bg-accent-wash px-2 pb-2 -mx-2' : ''}`}
      data-seq={message.seq}
      aria-current={chosen || undefined}
    >
      {(!goesOn || marks.length > 0) && (
        <Head name={name} at={message.createdAt} byAgent={byAgent}>
          {marks.map((mark) => (
            <span
              key={mark}
              className={message.priority === 'urgent' ? 'font-medium text-bad' : ''}
            >
              {mark}
            </span>
          ))}
        </Head>
      )}
      {message.content.trim() === '' && calledTools(message.toolCalls) !== '' ? (
        <p className="text-sm text-quiet [overflow-wrap:anywhere]">
          {chat.calls(calledTools(message.toolCalls))}
        </p>
      ) : byAgent ? (
        <AgentText text={translate(message.content, message.notice)} />
      ) : (
        <PromptText
          content={[{ type: 'text', text: message.content }, ...attachmentsOf(message.media)]}
        />
      )}
    </div>
  )
})
