/**
 * How full the context window of an agent is, and what it has cost, in short; the exact numbers on
 * hover and for screen readers.
 */

import type { Offers } from '../../../src/protocol/threads/offers.ts'
import { useWords, useWriting } from '../translations/messages.tsx'

const round = 2 * Math.PI * 5

export function UsageMeter({
  usage: { used, size, cost },
}: {
  usage: NonNullable<Offers['usage']>
}) {
  const { console: words } = useWords()
  const writing = useWriting()
  const share = size > 0 ? Math.min(1, used / size) : 0
  const exact = words.usage(writing.number(used), writing.number(size))
  return (
    <span
      title={exact}
      className="flex shrink-0 items-center gap-1.5 px-1 text-xs text-quiet tabular-nums"
    >
      <svg viewBox="0 0 14 14" width="14" height="14" aria-hidden="true" className="-rotate-90">
        <circle cx="7" cy="7" r="5" fill="none" stroke="var(--edge)" strokeWidth="2" />
        <circle
          cx="7"
          cy="7"
          r="5"
          fill="none"
          stroke="currentColor"
          strokeWidth="2"
          strokeDasharray={`${share * round} ${round}`}
        />
      </svg>
      <span aria-hidden="true">{writing.percent(share)}</span>
      <span className="sr-only">{exact}</span>
      {cost !== null && (
        <span className="@max-sm:hidden">· {readableCost(cost, writing.money)}</span>
      )}
    </span>
  )
}

/** Costs come as “0.0025 USD”; what is not of this form is shown as it is. */
function readableCost(cost: string, money: (amount: number, currency: string) => string): string {
  const [, amount, currency] = /^([\d.]+(?:e-?\d+)?)\s+([A-Z]{3})$/.exec(cost) ?? []
  return amount && currency ? money(Number(amount), currency) : cost
}
