/**
 * Cruises the imports with the rules of .dependency-cruiser.cjs. Used by the check and by its
 * control in test/style. It also counts: a cruiser that cannot read TypeScript skips the files in
 * silence and finds nothing wrong.
 */
import { readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import {
  cruise,
  type ICruiseResult,
  type IForbiddenRuleType,
  type IResolveOptions,
} from 'dependency-cruiser'

export interface Directions {
  /** TypeScript files that were really parsed. */
  readonly cruised: number
  /** How many imports were followed in all of them; 0 means the parser saw nothing. */
  readonly imports: number
  readonly violations: readonly {
    readonly rule: string
    readonly from: string
    readonly to: string
  }[]
}

export async function checkDirections(
  root: string,
  folders: readonly string[],
): Promise<Directions> {
  const rules = createRequire(import.meta.url)('../../.dependency-cruiser.cjs') as {
    forbidden: IForbiddenRuleType[]
    options: { enhancedResolveOptions: Partial<IResolveOptions> } & Record<string, unknown>
  }
  const { enhancedResolveOptions, tsConfig: _, ...options } = rules.options
  const { output } = await cruise(
    [...folders],
    { ...options, baseDir: root, validate: true, ruleSet: { forbidden: rules.forbidden } },
    enhancedResolveOptions,
  )
  const result = output as ICruiseResult
  const ours = result.modules.filter((module) => /^(src|web)\/.*\.tsx?$/.test(module.source))
  return {
    cruised: ours.length,
    imports: ours.reduce((sum, module) => sum + module.dependencies.length, 0),
    violations: result.summary.violations.map(({ rule, from, to }) => ({
      rule: rule.name,
      from,
      to,
    })),
  }
}

function countSources(root: string, folders: readonly string[]): number {
  const all = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }),
  )
  return all.filter((name) => /\.tsx?$/.test(name) && !name.endsWith('.d.ts')).length
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..', '..')
  const folders = ['src', 'web']
  const { cruised, imports, violations } = await checkDirections(root, folders)
  for (const { rule, from, to } of violations) console.log(`${from} → ${to}   (${rule})`)
  const expected = countSources(root, folders)
  if (cruised < expected || imports < cruised) {
    console.log(
      `Only ${cruised} of ${expected} source files and ${imports} imports were read; the parser is not working.`,
    )
    process.exitCode = 1
  }
  if (violations.length > 0) process.exitCode = 1
}
