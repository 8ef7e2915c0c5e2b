/**
 * Costs in words: two decimals, or three digits of an amount below 1. Pure, and without a schema,
 * for clients and the page.
 */
interface Cost {
  readonly amount: number
  readonly currency: string
}

export const costText = ({ amount, currency }: Cost): string =>
  `${Math.abs(amount) < 1 ? Number(amount.toPrecision(3)) : amount.toFixed(2)} ${currency}`.trim()

/** The cost that a text tells; undefined where it is no amount of a currency. */
export function costFrom(text: string): Cost | undefined {
  const [, amount, currency] = /^(-?\d+(?:\.\d+)?(?:e-?\d+)?) ([A-Z]{3})$/.exec(text) ?? []
  return currency === undefined ? undefined : { amount: Number(amount), currency }
}
