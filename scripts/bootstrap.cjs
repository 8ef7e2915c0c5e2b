/**
 * Runs before `npm start`, `npm test` and `npm run holdfast`: makes a fresh clone runnable. It installs the locked
 * dependencies when they are missing or differ from the lockfile, then builds what is older than its sources. When nothing
 * is to be done it says nothing and costs a few milliseconds.
 *
 * Plain JavaScript that old Node versions can read, no dependencies: it runs before anything is installed. It writes to
 * stderr only, so that the output of the command behind it stays clean.
 */
'use strict'

const OLDEST_HOST = 18
const hostMajor = Number(process.versions.node.split('.')[0])
if (hostMajor < OLDEST_HOST) {
  process.stderr.write(
    'Holdfast needs Node ' +
      OLDEST_HOST +
      ' or later to install itself; this is ' +
      process.version +
      '.\n' +
      'Install a newer Node (https://nodejs.org) and run the same command again.\n',
  )
  process.exit(1)
}

const path = require('node:path')
const { isInstalled, install, findRuntime } = require('./bootstrap/install.cjs')
const { staleParts, build } = require('./bootstrap/build.cjs')
const { oneAtATime } = require('./bootstrap/one-at-a-time.cjs')

const root = path.join(__dirname, '..')
const force = process.argv.includes('--force')
const installOnly = process.argv.includes('--install-only')

async function main() {
  // The usual case first, without taking the lock.
  if (!force && isInstalled(root) && (installOnly || staleParts(root).length === 0)) return
  await oneAtATime(root, async () => {
    // Looked at again under the lock: whoever held it before may have done the work.
    if (!isInstalled(root)) await install(root)
    const runtime = findRuntime(root)
    if (installOnly) return
    for (const part of staleParts(root, force)) await build(root, part, runtime)
  })
}

main().catch((error) => {
  process.stderr.write(
    '\n' + (error.forPeople ? error.message : String(error.stack || error)) + '\n',
  )
  process.exitCode = 1
})
