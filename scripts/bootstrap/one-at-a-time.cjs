/**
 * A lock file, so that two starts at once do not install into the same folder. The holder touches it while it works; a lock
 * whose process is dead, or that was not touched for a minute, is taken over.
 */
'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { say, failure } = require('./say.cjs')

const TOUCH_EVERY_MS = 5000
const STALE_AFTER_MS = 60000
const LOOK_AGAIN_MS = 200
const GIVE_UP_AFTER_MS = 15 * 60000

async function oneAtATime(root, work) {
  const folder = path.join(root, 'dist')
  const file = path.join(folder, '.bootstrap.lock')
  try {
    fs.mkdirSync(folder, { recursive: true })
  } catch (error) {
    throw failure(
      'Holdfast cannot write to its own folder (' +
        error.code +
        ': ' +
        folder +
        '). Check its owner and mode.',
    )
  }
  const mine = await acquire(file)
  const touching = setInterval(() => {
    try {
      fs.utimesSync(file, new Date(), new Date())
    } catch (_) {
      // Somebody removed the lock; the work itself is not harmed by that.
    }
  }, TOUCH_EVERY_MS)
  try {
    return await work()
  } finally {
    clearInterval(touching)
    if (read(file) === mine) fs.rmSync(file, { force: true })
  }
}

async function acquire(file) {
  const mine = process.pid + ' ' + Date.now() + '\n'
  const since = Date.now()
  let announced = false
  while (Date.now() - since < GIVE_UP_AFTER_MS) {
    try {
      fs.writeFileSync(file, mine, { flag: 'wx' })
      return mine
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
    }
    const theirs = read(file)
    if (theirs !== undefined && isStale(file, theirs)) {
      removeExactly(file, theirs)
      continue
    }
    if (!announced) {
      say(
        'Another start (pid ' +
          String(theirs).split(' ')[0] +
          ') is preparing this folder; waiting for it.',
      )
      announced = true
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS))
  }
  throw failure(
    'Another start has been preparing this folder for 15 minutes. If none runs, delete ' +
      file +
      ' and try again.',
  )
}

/** Moves the stale lock aside first: if somebody else took it over in between, theirs is put back. */
function removeExactly(file, stale) {
  const aside = file + '.' + process.pid
  try {
    fs.renameSync(file, aside)
    if (read(aside) !== stale) fs.linkSync(aside, file)
  } catch (_) {
    // Gone already, or taken again: the next round sees which.
  }
  fs.rmSync(aside, { force: true })
}

function isStale(file, content) {
  const pid = Number(content.split(' ')[0])
  let touchedMs
  try {
    touchedMs = fs.statSync(file).mtimeMs
  } catch (_) {
    return false
  }
  if (Date.now() - touchedMs > STALE_AFTER_MS) return true
  // A lock that is being written is empty for a moment: not stale before its minute.
  return pid > 0 && !isAlive(pid)
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

function read(file) {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch (_) {
    return undefined
  }
}

module.exports = { oneAtATime }
