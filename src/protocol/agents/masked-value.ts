/**
 * What a reader sees instead of a secret; sent back unchanged it means "keep what is there" (SE7).
 * A file of its own, so that the page and the writer thread can know it without a validator.
 */
export const maskedValue = '••••••••'
