/**
 * The gateway in a process of its own, to the address in `argv`. Tells its port and token, and its
 * processor time when asked.
 */
import { Gateway } from '../../src/coordinator/gateway/gateway.ts'
import { Spool } from '../../src/coordinator/spool.ts'

const [, , upstream = '', file = ''] = process.argv
const spool = new Spool({ file, warn: () => {} })
const gateway = new Gateway({ env: {}, report: (fact) => spool.add(fact) })
const launch = {
  launchId: 'bench',
  launchToken: 'hf_launch_bench',
  upstream,
  key: 'sk-bench-0123456789',
}
const { port, token } = await gateway.open({ ...launch, turn: () => null, refuse: () => undefined })
process.send?.({ port, token })
process.on('message', () => {
  spool.clear()
  process.send?.({ cpu: process.cpuUsage() })
})
process.on('disconnect', () => process.exit(0))
