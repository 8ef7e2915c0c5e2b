/** The parts of the fault bench, by the names that `--only` takes. */
import { cluster, upgrade } from './clusters.ts'
import { crowd, cutSockets } from './crowds.ts'
import { deployment } from './deployment.ts'
import { files, io, powerCut } from './disks.ts'
import { earlierBuilds } from './earlier-builds.ts'
import { escapes } from './escapes.ts'
import { fences } from './fences.ts'
import { killFiles } from './file-kills.ts'
import { killGateway } from './gateway-kills.ts'
import {
  closings,
  kill,
  killCutover,
  killFirstStart,
  killOnPostgres,
  killPlan,
  killServer,
  killWork,
  migrations,
} from './kills.ts'
import { largeStore } from './large-stores.ts'
import { order } from './orders.ts'
import type { Part } from './part.ts'
import { contexts, processes } from './processes.ts'
import { terminations } from './terminations.ts'
import { upgradeTurns } from './upgraded-turns.ts'

export const parts: Readonly<Record<string, Part>> = {
  kill,
  'kill-postgres': killOnPostgres,
  'kill-server': killServer,
  'kill-work': killWork,
  'kill-plan': killPlan,
  'kill-files': killFiles,
  'kill-gateway': killGateway,
  closings,
  'kill-cutover': killCutover,
  'kill-first-start': killFirstStart,
  'power-cut': powerCut,
  files,
  'io-errors': io,
  order,
  fencing: fences,
  migrations,
  'earlier-builds': earlierBuilds,
  'upgrade-turns': upgradeTurns,
  'large-store': largeStore,
  processes,
  contexts,
  crowd,
  cuts: cutSockets,
  cluster,
  upgrade,
  terminations,
  deployment,
  escapes,
}
