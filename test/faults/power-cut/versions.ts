/**
 * File contents that prove themselves whole: which version it is, how long, and a hash of the rest.
 */
import { createHash } from 'node:crypto'
import { chance } from '../random.ts'

const longest = 40_000

export function versionText(file: string, version: number): string {
  const dice = chance(`${file}/${version}`)
  const rest = String.fromCharCode(97 + dice.below(26)).repeat(
    dice.one(0.3) ? dice.below(longest) : dice.below(300),
  )
  return `${version} ${hashOf(rest)} ${rest}`
}

/** Undefined: a part of one, or a mixture. */
export function versionOf(text: string): number | undefined {
  const [, version, hash, rest] = /^(\d+) (\S+) ([a-z]*)$/.exec(text) ?? []
  return version !== undefined && hash === hashOf(rest ?? '') ? Number(version) : undefined
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url')
