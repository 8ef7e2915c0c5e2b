/** Why a process is no more: the reason in words, how it went, and what it said last. */
import type { Process } from '../../../src/protocol/process.ts'
import { useWords } from '../messages/messages.tsx'

export function WhyEnded({ process }: { process: Process }) {
  const { processes: words } = useWords()
  const { reason, exitCode, signal, detail } = process
  const how = signal !== null ? words.signal(signal) : exitCode !== null && exitCode !== 0 ? words.exitCode(exitCode) : undefined
  const told = [reason && words.reasons[reason], how].filter(Boolean).join(' · ')
  return (
    <>
      {told}
      {detail && <span className="text-quiet">{told ? `: ${detail}` : detail}</span>}
    </>
  )
}
