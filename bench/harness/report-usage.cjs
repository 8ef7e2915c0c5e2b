/** Loaded into a server that is measured: tells the bench, when asked, how much processor time the process has used so far. */
'use strict'

// Only the main thread has the channel; the figure is the whole process's.
if (process.channel) {
  process.on('message', () => {
    const { user, system } = process.cpuUsage()
    process.send((user + system) / 1000)
  })
  process.channel.unref()
}
