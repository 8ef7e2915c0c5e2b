/**
 * How long a launch's output is kept after its end (CO4). Apart from the schemas, because the page
 * needs it without them.
 */
export const outputKeptDays = 30
