/** The texts of a release: the version that comes next, the changelog and the manifests with it. */

const numbers = /^(\d+)\.(\d+)\.(\d+)$/
const unreleased = /^## Unreleased\n([\s\S]*?)(?=^## |(?![\s\S]))/m

/**
 * The version that is asked for: named, or the next `major`, `minor` or `patch`. Undefined when it
 * is neither or not newer.
 */
export function nextVersion(current: string, asked: string): string | undefined {
  const [major = 0, minor = 0, patch = 0] = numbersOf(current)
  if (asked === 'major') return `${major + 1}.0.0`
  if (asked === 'minor') return `${major}.${minor + 1}.0`
  if (asked === 'patch') return `${major}.${minor}.${patch + 1}`
  if (!numbers.test(asked)) return undefined
  const [newMajor = 0, newMinor = 0, newPatch = 0] = numbersOf(asked)
  const difference = newMajor - major || newMinor - minor || newPatch - patch
  // The version of the manifest may itself be the one that is released first.
  return difference >= 0 ? asked : undefined
}

const numbersOf = (version: string): number[] => (version.match(numbers) ?? []).slice(1).map(Number)

/** Moves what is under "Unreleased" to the version; undefined when there is nothing. */
export function releasedChangelog(text: string, version: string, date: string): string | undefined {
  const [section, changes = ''] = text.match(unreleased) ?? []
  if (section === undefined || changes.trim() === '') return undefined
  return text.replace(section, () => `## Unreleased\n\n## ${version} (${date})\n${changes}`)
}

/** Sets the version at the top of package.json, or in both places of package-lock.json. */
export function withVersion(text: string, version: string): string {
  const manifest = JSON.parse(text) as {
    version: string
    packages?: Record<string, { version?: string }>
  }
  manifest.version = version
  const self = manifest.packages?.['']
  if (self) self.version = version
  return `${JSON.stringify(manifest, null, 2)}\n`
}
