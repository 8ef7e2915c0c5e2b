/**
 * Shown instead of a secret; sent back unchanged, it keeps the stored value (SE7). In a file of its
 * own, so that the page and the writer thread can use it without a validator.
 */
export const maskedValue = '••••••••'
