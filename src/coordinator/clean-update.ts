/**
 * Removes the launch's secrets from agent output before it becomes an event (SE7), and characters that no store keeps: NUL and
 * lone surrogates. Other environment values stay, because they are ordinary words.
 */
import { masked } from '../platform/mask.ts'
import type { LaunchParticulars } from '../protocol/processes/link.ts'

const secretName = /key|token|secret|passw|credential|auth/i
const minSecretChars = 8

/** Returns a function that copies a value without the secrets. */
export function createCleaner({ env, launchToken }: LaunchParticulars): <Value>(value: Value) => Value {
  const named = Object.entries(env).filter(([name, value]) => secretName.test(name) && value.length >= minSecretChars)
  const secrets = [launchToken, ...named.map(([, value]) => value)].sort((a, b) => b.length - a.length)
  const cleanText = (text: string): string => {
    let clean = text
    for (const secret of secrets) clean = clean.replaceAll(secret, masked)
    return clean.replaceAll('\0', '\u2400').toWellFormed()
  }
  const clean = (value: unknown): unknown => {
    if (typeof value === 'string') return cleanText(value)
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map(clean)
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, clean(each)]))
  }
  return (value) => clean(value) as typeof value
}
