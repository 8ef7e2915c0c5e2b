/**
 * A question that an agent asks in a console (AP13). Answered here, in the inbox or on another
 * device, it changes in all.
 */

import type { TurnQuestion } from '../../../src/protocol/threads/turn-items.ts'
import { QuestionForm } from '../approvals/question-form.tsx'
import { client, useMay } from '../live/queries.ts'
import { StateDot } from '../shell/state-dot.tsx'
import { useWords, useWriting } from '../translations/messages.tsx'
import { DecidedRow, waitingClass } from './decided-row.tsx'
import { useRequest } from './use-request.ts'

export function QuestionCard({ question }: { question: TurnQuestion }) {
  const { console: words } = useWords()
  const writing = useWriting()
  const mayAnswer = useMay('approve')
  const asking = useRequest()
  const { questionId, message, deadline, outcome } = question
  if (outcome !== null) return <Answered question={question} outcome={outcome} />
  return (
    <section
      aria-label={message}
      data-question={questionId}
      data-outcome="open"
      className={waitingClass}
    >
      <p className="flex items-baseline gap-2">
        <StateDot state="waiting" />
        <span
          className="min-w-0 font-semibold whitespace-pre-wrap [overflow-wrap:anywhere]"
          dir="auto"
        >
          {message}
        </span>
      </p>
      {mayAnswer && (
        <QuestionForm
          question={question}
          waiting={asking.waiting}
          error={asking.error}
          onAnswer={({ action, content }) =>
            void asking.send(() =>
              client.post('/api/questions/{questionId}/answer', {
                params: { questionId: String(questionId) },
                body: { action, content: content as Content },
              }),
            )
          }
        />
      )}
      <p className="text-xs text-quiet">{words.until(writing.moment(deadline, Date.now()))}</p>
    </section>
  )
}

type Content = Record<string, string | number | boolean | string[]> | null

interface AnsweredProps {
  readonly question: TurnQuestion
  readonly outcome: NonNullable<TurnQuestion['outcome']>
}

function Answered({ question, outcome }: AnsweredProps) {
  const { answers } = useWords().console
  const { questionId, message, content, decidedBy, resolvedAt } = question
  return (
    <DecidedRow
      label={message}
      data={{ 'data-question': questionId, 'data-outcome': outcome }}
      outcome={outcome}
      verb={answers[outcome]}
      what={message}
      said={content ? Object.values(content).flat().join(', ') : undefined}
      decidedBy={decidedBy}
      at={resolvedAt}
    >
      <p className="text-sm whitespace-pre-wrap [overflow-wrap:anywhere]" dir="auto">
        {message}
      </p>
      {content && <AnswerText content={content} />}
    </DecidedRow>
  )
}

const AnswerText = ({ content }: { content: NonNullable<TurnQuestion['content']> }) => (
  <ul className="text-sm">
    {Object.entries(content).map(([name, value]) => (
      <li key={name} className="[overflow-wrap:anywhere]">
        <span className="text-quiet">{name}</span> {String(value)}
      </li>
    ))}
  </ul>
)
