/**
 * Sparse checkouts: what one leaves away stays away where we write files, and a new worktree leaves
 * away the same, as git makes it.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { bytesOf } from '../../platform/files/plain-file.ts'
import { isTrue } from './git-settings.ts'
import type { Repository } from './repository.ts'

const maxPatternBytes = 16 * 1024 * 1024
const patternFile = 'info/sparse-checkout'

/**
 * Settings for a git that writes files, with the patterns beside them. Empty: everything is checked
 * out.
 */
export function sparseSettings(
  { settings: own, facts, place }: Repository,
  settings = own,
): Record<string, string> {
  const patterns =
    isTrue(settings.get('core.sparsecheckout')) &&
    bytesOf(join(facts.gitFolder, patternFile), maxPatternBytes)
  if (!patterns) return {}
  writeFileSync(join(place.dir, patternFile), patterns)
  const cone = isTrue(settings.get('core.sparsecheckoutcone') ?? 'true')
  return { 'core.sparseCheckout': 'true', 'core.sparseCheckoutCone': String(cone) }
}

/**
 * Gives the git folder of a new worktree what makes its checkout sparse, for the agent's own git.
 */
export function copySparse(from: Repository, gitFolder: string): void {
  const sparse = sparseSettings(from)
  const patterns = bytesOf(join(from.facts.gitFolder, patternFile), maxPatternBytes)
  if (sparse['core.sparseCheckout'] === undefined || !patterns) return
  mkdirSync(dirname(join(gitFolder, patternFile)), { recursive: true })
  writeFileSync(join(gitFolder, patternFile), patterns)
  if (!isTrue(from.settings.get('extensions.worktreeconfig'))) return
  const cone = sparse['core.sparseCheckoutCone']
  writeFileSync(
    join(gitFolder, 'config.worktree'),
    `[core]\n\tsparseCheckout = true\n\tsparseCheckoutCone = ${cone}\n`,
  )
}
