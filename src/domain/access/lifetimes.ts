/** Lifetimes of sign-in codes and browser sign-ins (SE1). */
const minute = 60 * 1000
const day = 24 * 60 * minute

export const signInCodeLifetimeMs = 10 * minute
export const browserLifetimeMs = 30 * day
