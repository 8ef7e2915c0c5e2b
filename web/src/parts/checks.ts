/**
 * Checks while typing. They only spare a round trip: the server checks everything again and has the
 * last word.
 */
import type { Messages } from '../translations/en.ts'

type Check = (text: string, words: Messages) => string | undefined

const maxName = 200
const maxPath = 4096

export const nameProblem: Check = (text, words) => {
  if (text.trim() === '') return words.form.needed
  return text.trim().length > maxName ? words.form.tooLong(maxName) : undefined
}

export const pathProblem: Check = (text, words) => {
  const path = text.trim()
  if (path === '') return undefined
  if (path.length > maxPath) return words.form.tooLong(maxPath)
  return /^(?:\/|[A-Za-z]:[\\/])/.test(path) && !path.split(/[\\/]/).includes('..')
    ? undefined
    : words.form.badPath
}

export const idProblem: Check = (text, words) =>
  text.trim() === '' || /^[a-z0-9](?:[a-z0-9_-]{0,62}[a-z0-9])?$/.test(text.trim())
    ? undefined
    : words.form.badId

export const envNameProblem: Check = (text, words) =>
  /^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(text) ? undefined : words.form.badEnv

/** An empty text is allowed: it means “none”. */
export const wholeNumberProblem = (
  text: string,
  min: number,
  max: number,
  words: Messages,
): string | undefined => {
  const value = Number(text)
  return text.trim() === '' || (Number.isInteger(value) && value >= min && value <= max)
    ? undefined
    : words.form.wholeNumber(min, max)
}
