/**
 * Loaded into a server that is measured: tells the bench, when asked, how much processor time the process has used so far, or how
 * much memory is in use once the garbage is gone.
 */
'use strict'

const answers = {
  cpu: () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1000
  },
  memory: () => {
    require('node:v8').setFlagsFromString('--expose-gc')
    const collect = require('node:vm').runInNewContext('gc')
    for (let again = 0; again < 3; again++) collect()
    const { heapUsed, external } = process.memoryUsage()
    return heapUsed + external
  },
}

// Only the main thread has the channel; the figure is the whole process's.
if (process.channel) {
  process.on('message', (question) => process.send(answers[question]()))
  process.channel.unref()
}
