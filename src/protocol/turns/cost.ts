/**
 * Costs in words: two decimals, or three digits of an amount below 1. Pure, and without a schema,
 * for clients and the page.
 */
export const costText = ({
  amount,
  currency,
}: {
  readonly amount: number
  readonly currency: string
}): string =>
  `${Math.abs(amount) < 1 ? Number(amount.toPrecision(3)) : amount.toFixed(2)} ${currency}`.trim()
