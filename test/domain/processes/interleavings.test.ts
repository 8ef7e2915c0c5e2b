import { describe, expect, test } from 'vitest'
import { epochMs } from '../../../src/domain/instant.ts'
import { fc, property } from '../../support/property.ts'
import { type Ended, graceMs, ttlMs, World } from './world.ts'

type Happening = (world: World) => void

const which = fc.nat(5)
const said = (name: string, happening: Happening): Happening =>
  Object.assign(happening, { toString: () => name })

/**
 * What can happen, in any order. `spawn` differs: with launch ids, without, or both side by side.
 */
const happenings = (spawn: fc.Arbitrary<Happening>): fc.Arbitrary<Happening[]> =>
  fc.array(
    fc.oneof(
      { weight: 3, arbitrary: spawn },
      {
        weight: 5,
        arbitrary: which.map((n) => said(`authenticate ${n}`, (world) => world.authenticate(n))),
      },
      { weight: 3, arbitrary: which.map((n) => said(`call ${n}`, (world) => world.call(n))) },
      { weight: 1, arbitrary: which.map((n) => said(`logout ${n}`, (world) => world.logout(n))) },
      { weight: 2, arbitrary: which.map((n) => said(`exit ${n}`, (world) => world.exit(n))) },
      { weight: 3, arbitrary: which.map((n) => said(`report ${n}`, (world) => world.report(n))) },
      {
        weight: 1,
        arbitrary: which.map((n) => said(`report again ${n}`, (world) => world.redeliver(n))),
      },
      { weight: 3, arbitrary: fc.constant(said('sweep', (world) => world.sweep())) },
      {
        weight: 2,
        arbitrary: fc.record({ hasTask: fc.boolean(), unreadMessages: fc.nat(1) }).map((work) =>
          said(`work ${JSON.stringify(work)}`, (world) => {
            Object.assign(world, work)
          }),
        ),
      },
      {
        weight: 3,
        arbitrary: fc
          .constantFrom(1, 4, 9, 10, 60, 3600)
          .map((seconds) => said(`advance ${seconds} s`, (world) => world.advance(seconds))),
      },
    ),
    { minLength: 1, maxLength: 60, size: 'max' },
  )

const spawnAs = (ordered: boolean, namesLaunch: boolean): fc.Arbitrary<Happening> =>
  fc.constant(
    said(`spawn ${ordered ? 'ordered' : 'foreign'}${namesLaunch ? '' : ' unnamed'}`, (world) =>
      world.spawn(ordered, namesLaunch),
    ),
  )

const withLaunchIds = happenings(spawnAs(true, true))
const withoutLaunchIds = happenings(spawnAs(false, false))
const sideBySide = happenings(
  fc.oneof(spawnAs(true, true), spawnAs(true, false), spawnAs(false, false)),
)

const run = (events: readonly Happening[], check: (world: World) => void = () => {}): World => {
  const world = new World()
  for (const event of events) {
    event(world)
    check(world)
  }
  return world
}

const byTheServer = ({ reason }: Ended): boolean => reason !== 'logout'
const byAnExit = ({ reason }: Ended): boolean =>
  reason === 'process_exited' || reason === 'orphaned'
const silentMs = ({ at, lastCallAt }: Ended): number => epochMs(at) - epochMs(lastCallAt)
const runs = { numRuns: 1500 }

describe('[PX7] any order of spawn, authenticate, call, logout, exit, report, report again and sweep', () => {
  property.prop([withLaunchIds], runs)(
    '[PX7] with launch ids no live process ever loses its session',
    (events) => {
      const lost = run(events).ended.filter((each) => byTheServer(each) && each.holder.alive)
      expect(lost).toEqual([])
    },
  )

  property.prop([withoutLaunchIds], runs)(
    '[PX7] without them none that calls within the grace does',
    (events) => {
      const lost = run(events).ended.filter((each) => byAnExit(each) && each.holder.alive)
      expect(lost.filter((each) => silentMs(each) < graceMs)).toEqual([])
    },
  )

  property.prop([sideBySide], runs)(
    '[PX7] nor does either where both kinds run side by side',
    (events) => {
      const lost = run(events).ended.filter((each) => byAnExit(each) && each.holder.alive)
      expect(
        lost.filter((each) => each.agentSession.launchId !== null || silentMs(each) < graceMs),
      ).toEqual([])
    },
  )

  property.prop([sideBySide], runs)(
    '[PX7] no dead process keeps one past the time to live',
    (events) => {
      run(events, (world) => {
        world.sweep()
        const tooLong = world
          .heldByTheDead()
          .filter(({ lastCallAt }) => epochMs(world.now) - epochMs(lastCallAt) >= ttlMs)
        expect(tooLong).toEqual([])
      })
    },
  )

  property.prop([withLaunchIds], runs)(
    '[PX2] with launch ids an exit that was reported leaves nothing behind',
    (events) => {
      run(events, (world) => expect(world.heldByTheDead()).toEqual([]))
    },
  )

  property.prop([sideBySide], runs)(
    '[AS4] there are never two live sessions of one purpose',
    (events) => {
      run(events, (world) => {
        const purposes = world.live().map(({ purpose }) => purpose)
        expect(purposes.length).toBe(new Set(purposes).size)
      })
    },
  )
})

test('[PX7] the control: these orders reach every decision and every end', () => {
  const worlds = fc.sample(sideBySide, { numRuns: 1500, seed: 7 }).map((events) => run(events))
  const decisions = new Set(worlds.flatMap(({ decisions }) => [...decisions]))
  expect([...decisions].sort()).toEqual(['duplicate', 'ended', 'judging', 'nothing'])
  const reasons = new Set(worlds.flatMap(({ ended }) => ended.map(({ reason }) => reason)))
  expect([...reasons].sort()).toEqual(['expired', 'logout', 'orphaned', 'process_exited'])
})
