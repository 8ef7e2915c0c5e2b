/**
 * What is built from source: the server as one bundle (it starts twice as fast that way) and the page. Each output carries a
 * stamp, a digest over name, size and time of every source; another digest means it is stale.
 */
'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { createHash } = require('node:crypto')
const { spawn } = require('node:child_process')
const { say, failure, seconds } = require('./say.cjs')

const parts = [
  {
    name: 'the server',
    stamp: 'dist/server.stamp',
    output: 'dist/server/main.js',
    entry: 'src/main.ts',
    sources: [
      'src',
      'package.json',
      'package-lock.json',
      'scripts/build-server.ts',
      'scripts/build',
    ],
    argv: ['scripts/build-server.ts'],
  },
  {
    name: 'the page',
    stamp: 'dist/web.stamp',
    output: 'dist/web/index.html',
    entry: 'web/index.html',
    sources: [
      'web',
      'vite.config.ts',
      'src/client',
      'src/protocol',
      'src/domain',
      'package-lock.json',
    ],
    argv: [
      'node_modules/vite/bin/vite.js',
      'build',
      '--config',
      'vite.config.ts',
      '--logLevel',
      'warn',
    ],
  },
]

function staleParts(root, force) {
  const there = (file) => fs.existsSync(path.join(root, file))
  const fresh = (part) =>
    there(part.output) && read(path.join(root, part.stamp)) === digest(root, part)
  return parts.filter((part) => there(part.entry) && (force || !fresh(part)))
}

async function build(root, part, runtime) {
  const since = Date.now()
  // Before the work: a source saved meanwhile makes the result stale again.
  const stamp = digest(root, part)
  const result = await run(root, runtime, part.argv)
  if (result.code !== 0)
    throw failure(
      'Building ' + part.name + ' failed (' + result.code + '):\n\n' + result.output.trim(),
    )
  fs.writeFileSync(path.join(root, part.stamp), stamp)
  say('Holdfast: built ' + part.name + ' in ' + seconds(since))
}

function run(root, file, argv) {
  return new Promise((resolve) => {
    const env = Object.assign(
      {},
      process.env,
      { NODE_ENV: 'production' },
      process.stderr.isTTY ? {} : { NO_COLOR: '1' },
    )
    const child = spawn(file, argv, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    const keep = (chunk) => {
      output = (output + chunk).slice(-64 * 1024)
    }
    child.stdout.on('data', keep)
    child.stderr.on('data', keep)
    child.on('error', (error) => resolve({ code: error.code, output: String(error) }))
    child.on('close', (code, signal) => resolve({ code: code === null ? signal : code, output }))
  })
}

function digest(root, part) {
  const hash = createHash('sha256')
  const add = (relative) => {
    const stat = fs.statSync(path.join(root, relative), { throwIfNoEntry: false })
    if (stat === undefined) return
    if (stat.isDirectory()) {
      for (const name of fs.readdirSync(path.join(root, relative)).sort())
        add(relative + '/' + name)
    } else {
      hash.update(relative + ' ' + stat.size + ' ' + stat.mtimeMs + '\n')
    }
  }
  part.sources.forEach(add)
  return hash.digest('hex')
}

function read(file) {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch (_) {
    return undefined
  }
}

module.exports = { staleParts, build }
