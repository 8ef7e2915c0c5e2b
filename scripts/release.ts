/**
 * Makes a release: `npm run release -- 0.2.0` (or `major`, `minor`, `patch`). Moves what is under
 * "Unreleased" in CHANGELOG.md to the version, sets it in package.json and package-lock.json,
 * commits and tags. Pushes nothing. With `--dry-run` it says what it would do and changes nothing.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { nextVersion, releasedChangelog, withVersion } from './release/new-version.ts'
import { failedFiles } from './steady/which-files.ts'

const usage = 'npm run release -- VERSION|major|minor|patch [--dry-run]'

/** The folder of the clone is given, so that a test can release another one. */
export function release(
  root: string,
  args: readonly string[],
  today: string,
  print: (line: string) => void,
): number {
  const git = (...words: string[]): string =>
    execFileSync('git', words, { cwd: root, encoding: 'utf8' }).trim()
  const read = (name: string): string => readFileSync(join(root, name), 'utf8')
  const refuse = (problem: string): number => {
    print(problem)
    return 1
  }
  const { positionals, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { 'dry-run': { type: 'boolean' } },
  })
  const [asked = ''] = positionals
  const { version: current } = JSON.parse(read('package.json')) as { version: string }
  const version = nextVersion(current, asked)
  if (version === undefined || positionals.length !== 1)
    return refuse(`No version newer than ${current} was given. Use: ${usage}`)
  const tag = `v${version}`
  if (git('status', '--porcelain') !== '')
    return refuse('The tree has changes that are not committed. Commit or stash them first.')
  if (git('tag', '--list', tag) !== '')
    return refuse(`The tag ${tag} exists already. Choose a newer version.`)
  const changelog = releasedChangelog(read('CHANGELOG.md'), version, today)
  if (changelog === undefined)
    return refuse(
      'CHANGELOG.md has nothing under "## Unreleased". Write there what changes for users.',
    )
  const changed = {
    'CHANGELOG.md': changelog,
    'package.json': withVersion(read('package.json'), version),
    'package-lock.json': withVersion(read('package-lock.json'), version),
    // What has failed since the last release.
    ...(existsSync(join(root, failedFiles)) && { [failedFiles]: '[]\n' }),
  }
  if (values['dry-run']) {
    print(
      `Would write ${Object.keys(changed).join(', ')} for ${version} (${today}), commit and tag ${tag}. Nothing was changed.`,
    )
    return 0
  }
  for (const [name, text] of Object.entries(changed)) writeFileSync(join(root, name), text)
  git('add', '--', ...Object.keys(changed))
  git('commit', '--quiet', '--message', `Release ${version}`)
  git('tag', '--annotate', tag, '--message', `Holdfast ${version}`)
  print(`Released ${version}. Publish it with: git push --follow-tags`)
  return 0
}

if (import.meta.main) {
  const today = new Date().toISOString().slice(0, 10)
  try {
    process.exitCode = release(
      join(import.meta.dirname, '..'),
      process.argv.slice(2),
      today,
      console.log,
    )
  } catch (error) {
    console.log(`${error instanceof Error ? error.message : String(error)}\nUse: ${usage}`)
    process.exitCode = 1
  }
}
