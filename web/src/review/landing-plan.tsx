/** What a landing would do, step by step, and what stands in its way (LD1). */
import type { LandingPlan } from '../../../src/protocol/review/landing.ts'
import type { LandingStep } from '../../../src/protocol/review/landing-requests.ts'
import { CopyText } from '../parts/copy.tsx'
import { FoldIcon } from '../parts/icons.tsx'
import { StateDot } from '../shell/state-dot.tsx'
import { type ReviewWords, useReviewWords } from './words.ts'

type Words = ReviewWords['landing']

export const firstLine = (text: string): string => text.trim().split('\n', 1)[0] ?? ''

/** Without the address, which the message of the commit has. */
const nameIn = (author: string): string => author.replace(/\s*<[^>]*>$/, '')

/** A command line as it was set; the server runs it with `sh -c`. */
const typed = (command: readonly string[]): string =>
  command[0] === 'sh' && command[1] === '-c' ? (command[2] ?? '') : command.join(' ')

function sentenceOf(step: LandingStep, message: string, words: Words['step']): string {
  switch (step.do) {
    case 'commit':
      return words.commit(step.files, firstLine(message), nameIn(step.author))
    case 'check':
      return words.check(typed(step.command))
    case 'move':
      return [words[step.by](step.branch), step.checkout && words.checkout(step.checkout)]
        .filter(Boolean)
        .join('. ')
    case 'push':
      return words.push(step.remoteBranch, step.address)
    case 'pull-request':
      return words.pullRequest(step.title, step.repository)
  }
}

interface StepsProps {
  readonly plan: LandingPlan
  readonly message: string
}

/** Folded: the button says the same in short. */
export function PlanSteps({ plan, message }: StepsProps) {
  const { landing: words } = useReviewWords()
  if (plan.steps.length + plan.notes.length === 0 && plan.command === null) return null
  return (
    <details className="min-w-0 text-sm text-quiet">
      <summary className="flex min-h-6 w-fit items-center gap-1 hover:text-ink max-md:min-h-9">
        <FoldIcon />
        {words.steps}
      </summary>
      <ol className="ml-5 list-decimal pl-3 [overflow-wrap:anywhere]">
        {plan.steps.map((step) => (
          <li key={step.do}>{sentenceOf(step, message, words.step)}</li>
        ))}
      </ol>
      {plan.notes.map((note) => (
        <p key={note} className="ml-5 text-warn [overflow-wrap:anywhere]">
          {noteIn(note, words)}
        </p>
      ))}
      {plan.command !== null && <ByHand command={plan.command} />}
    </details>
  )
}

function noteIn(note: string, words: Words): string {
  const [code = '', what = ''] = note.split(/: (.*)/s)
  return words.notes[code]?.(what) ?? note
}

function ByHand({ command }: { command: string }) {
  const { landing: words } = useReviewWords()
  return (
    <p className="flex min-w-0 items-center gap-2">
      <span className="ml-5 shrink-0">{words.byHand}</span>
      <code className="min-w-0 flex-1 font-mono text-xs [overflow-wrap:anywhere]">{command}</code>
      <CopyText text={command} what={words.command} />
    </p>
  )
}

/** Why it cannot land now, each with what helps. A conflict has a part of its own. */
export function PlanBlocks({ plan: { blocks, about, into } }: { plan: LandingPlan }) {
  const { landing: words } = useReviewWords()
  const sentences = blocks.flatMap((code) => words.blocks[code](about[code] ?? '') || [])
  return (
    <>
      {sentences.map((sentence) => (
        <p key={sentence} className="flex min-w-0 items-baseline gap-2 [overflow-wrap:anywhere]">
          <StateDot state="limited" />
          {sentence}
        </p>
      ))}
      {blocks.includes('nothing_to_land') && (
        <p className="text-quiet">{words.nothing(into ?? '')}</p>
      )}
    </>
  )
}
