/** Why a process is no more: the reason in words, how it went, and what it said last. */

import { tellsExit } from '../../../src/protocol/notice-words.ts'
import type { Process } from '../../../src/protocol/processes/process.ts'
import { useSaid, useWords } from '../translations/messages.tsx'

export function WhyEnded({ process }: { process: Process }) {
  const { processes: words } = useWords()
  const { reason, exitCode, signal, detail } = process
  const translate = useSaid()
  const ending =
    signal !== null
      ? words.signal(signal)
      : exitCode !== null && exitCode !== 0
        ? words.exitCode(exitCode)
        : undefined
  const how = tellsExit(process) ? undefined : ending
  const why = [reason && words.reasons[reason], how].filter(Boolean).join(' · ')
  return (
    <>
      {why}
      {detail && (
        <span className="text-quiet">
          {why ? `: ${translate(detail, process.notice)}` : translate(detail, process.notice)}
        </span>
      )}
    </>
  )
}
