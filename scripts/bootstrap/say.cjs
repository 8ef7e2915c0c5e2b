/** Words for the person who waits, on stderr; and errors whose message is all that this person needs. */
'use strict'

function say(text) {
  process.stderr.write(text + '\n')
}

function failure(message) {
  const error = new Error(message)
  error.forPeople = true
  return error
}

const seconds = (sinceMs) => ((Date.now() - sinceMs) / 1000).toFixed(1) + ' s'

module.exports = { say, failure, seconds }
