/**
 * What is cut over in the fault test of cutovers, and what must become of it: nothing but numbers,
 * so that it is known everywhere.
 */
export const keyOf = (n: number): string => `telegram:${1000 + n}`

/** Two days, so that there are two notes. */
export const daysAgo = (n: number): number => 3 + (n % 2)

/** Unlike each other, so that whatever is there twice is seen. */
export const wordsOf = (n: number): string[] => [
  `first of ${n}.`,
  `second of ${n}: 承認\n## telegram:0`,
  `last of ${n}.`,
]
