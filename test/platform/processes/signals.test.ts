import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import {
  sameKeyPressMs,
  stopDeadlineMs,
  stopOnSignal,
} from '../../../src/platform/processes/signals.ts'
import { manualClock } from '../../support/manual-clock.ts'

/** A process whose signals come from an emitter and whose exit codes are collected. */
const processOf = (signals: EventEmitter, exits: number[]) =>
  ({
    on: signals.on.bind(signals),
    off: signals.off.bind(signals),
    exit: (code: number) => exits.push(code),
  }) as unknown as Pick<NodeJS.Process, 'on' | 'off' | 'exit'>

/** A process that writes down how it would have ended. */
function stoppable(stop: () => Promise<void>) {
  const clock = manualClock()
  const signals = new EventEmitter()
  const exits: number[] = []
  const troubles: string[] = []
  const stopListening = stopOnSignal({
    stop,
    onTrouble: (message) => void troubles.push(message),
    clock,
    process: processOf(signals, exits),
  })
  return {
    clock,
    signals,
    exits,
    troubles,
    stopListening,
    send: (signal: string) => signals.emit(signal, signal),
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'])(
  '[OP2] the first %s asks for an orderly stop and then ends with 0',
  async (signal) => {
    let finish = (): void => {}
    const { send, exits } = stoppable(() => new Promise((resolve) => (finish = resolve)))
    send(signal)
    await turn()
    expect(exits).toEqual([])
    finish()
    await turn()
    expect(exits).toEqual([0])
  },
)

test('[OP2] a second signal ends it at once', () => {
  const { send, exits, clock } = stoppable(() => new Promise(() => {}))
  send('SIGTERM')
  clock.advance(sameKeyPressMs + 1)
  send('SIGTERM')
  expect(exits).toEqual([143])
})

test('[OP2] Ctrl-C that npm passes on as well is one signal', () => {
  const { send, exits, clock } = stoppable(() => new Promise(() => {}))
  send('SIGINT')
  clock.advance(sameKeyPressMs)
  send('SIGINT')
  expect(exits).toEqual([])
  clock.advance(1)
  send('SIGINT')
  expect(exits).toEqual([130])
})

test('[OP2] another signal is never taken for the same key press', () => {
  const { send, exits } = stoppable(() => new Promise(() => {}))
  send('SIGINT')
  send('SIGTERM')
  expect(exits).toEqual([143])
})

test('[OP2] a stop that takes too long is cut off within ten seconds', () => {
  const { send, exits, troubles, clock } = stoppable(() => new Promise(() => {}))
  send('SIGTERM')
  clock.advance(stopDeadlineMs)
  expect(exits).toEqual([1])
  expect(troubles).toEqual([expect.stringContaining('did not stop')])
  expect(stopDeadlineMs).toBeLessThan(10_000)
})

test('[OP2] a stop that fails ends with 1 and says so', async () => {
  const { send, exits, troubles } = stoppable(() => Promise.reject(new Error('no')))
  send('SIGTERM')
  await turn()
  expect([exits, troubles]).toEqual([[1], ['It could not stop in order.']])
})

test('[OP2] who stops listening leaves no listener behind', () => {
  const { stopListening, signals } = stoppable(async () => {})
  stopListening()
  expect(signals.eventNames()).toEqual([])
})

test('[OP2] a program with its own ending is hurried by signal two, ended by three', async () => {
  const clock = manualClock()
  const signals = new EventEmitter()
  const exits: number[] = []
  let finish = (): void => {}
  let hurried = 0
  stopOnSignal({
    stop: () => new Promise((resolve) => (finish = resolve)),
    hurry: () => {
      hurried++
      return 'wait'
    },
    onTrouble: () => {},
    clock,
    process: processOf(signals, exits),
  })
  signals.emit('SIGTERM', 'SIGTERM')
  signals.emit('SIGINT', 'SIGINT')
  expect([hurried, exits]).toEqual([1, []])
  finish()
  await turn()
  expect(exits).toEqual([0])
  signals.emit('SIGINT', 'SIGINT')
  expect([hurried, exits]).toEqual([1, [0, 130]])
})
