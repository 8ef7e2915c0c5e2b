/**
 * What is changed in a build that is broken on purpose. The folder of such a build says it, and
 * build.ts bundles its pieces accordingly; the product itself holds no code for this.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Change {
  /** Below `src`. */
  readonly file: string
  readonly find: string
  readonly replace: string
  /** Only the writer's thread does it: the rest of a server is the product's own. */
  readonly inThread?: true
}

/** In the folder of a build. */
export const changesFile = 'changes.json'

export const changesOf = (build: string): readonly Change[] =>
  JSON.parse(readFileSync(join(build, changesFile), 'utf8')) as Change[]

/**
 * Each change must match its place exactly once, so that a control whose source has moved on fails
 * loudly instead of passing for the wrong reason.
 */
export function changed(source: string, changes: readonly Change[]): string {
  return changes.reduce((text, { file, find, replace }) => {
    const found = text.split(find).length - 1
    if (found === 1) return text.replace(find, () => replace)
    throw new Error(
      `src/${file} has the text to be broken ${found} times, not once; the control must follow it:\n${find}`,
    )
  }, source)
}
