/**
 * A question that an agent asks in a console (AP13). Answered here, in the inbox or on another
 * device, it changes in all.
 */

import type { TurnQuestion } from '../../../src/protocol/threads/turn-items.ts'
import { QuestionForm } from '../approvals/question-form.tsx'
import { useDecider } from '../live/display-names.ts'
import { client, useMay } from '../live/queries.ts'
import { StateDot } from '../shell/state-dot.tsx'
import { useWords, useWriting } from '../translations/messages.tsx'
import { useRequest } from './use-request.ts'

export function QuestionCard({ question }: { question: TurnQuestion }) {
  const { console: words } = useWords()
  const writing = useWriting()
  const deciderOf = useDecider()
  const mayAnswer = useMay('approve')
  const asking = useRequest()
  const { questionId, message, deadline, outcome, decidedBy } = question
  const facts = [
    outcome && words.answers[outcome],
    decidedBy && decidedBy !== 'system' && deciderOf(decidedBy),
  ].filter(Boolean)
  return (
    <section
      aria-label={message}
      data-question={questionId}
      data-outcome={outcome ?? 'open'}
      className={`flex min-w-0 flex-col gap-2 rounded-md border px-3 py-2.5 ${outcome ? 'border-line' : 'border-l-3 border-warn/40 border-l-warn bg-warn-wash'}`}
    >
      <p className="flex items-baseline gap-2">
        <StateDot
          state={outcome === null ? 'waiting' : outcome === 'allowed' ? 'ready' : 'failed'}
        />
        <span className="min-w-0 font-semibold whitespace-pre-wrap [overflow-wrap:anywhere]">
          {message}
        </span>
      </p>
      {outcome === null ? (
        <>
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
        </>
      ) : (
        <>
          {question.content && <AnswerText content={question.content} />}
          <p role="status" className="text-sm text-quiet">
            {facts.join(' · ')}
          </p>
        </>
      )}
    </section>
  )
}

type Content = Record<string, string | number | boolean | string[]> | null

const AnswerText = ({ content }: { content: NonNullable<TurnQuestion['content']> }) => (
  <ul className="text-sm">
    {Object.entries(content).map(([name, value]) => (
      <li key={name} className="[overflow-wrap:anywhere]">
        <span className="text-quiet">{name}</span> {String(value)}
      </li>
    ))}
  </ul>
)
