/** `report_process_exit` (PX1): a coordinator states a fact, the server decides. */
import * as z from 'zod'
import { ProcessExit, ProcessExitAnswer } from '../../../protocol/process-exit.ts'
import { coordinatorOnly } from '../coordinator-only.ts'
import { snakeShape } from '../snake-case.ts'
import { defineTool, writesOnce } from '../tool.ts'

const exit = snakeShape(ProcessExit).shape

export const reportProcessExit = defineTool({
  name: 'report_process_exit',
  title: 'For coordinators: a process has exited',
  description:
    'For coordinators; agents do not need it. States that a process of an agent in a project has exited, and how many of that agent ' +
    'there are left on your machine. With launch_id exactly the session of that launch ends; without it the server judges by what ' +
    'is left. Give report_id, so that a report that is sent again does no more.',
  annotations: writesOnce,
  input: z.strictObject({
    ...exit,
    remaining_processes: exit.remaining_processes.describe('Processes of this agent and project that you have left'),
    launch_id: exit.launch_id.describe('HOLDFAST_LAUNCH_ID of the process that exited'),
    report_id: exit.report_id.describe('Any text of your choice that is new for each report'),
    epoch: exit.epoch.describe('Your epoch; a report from an older one than the server knows is refused'),
  }),
  output: ProcessExitAnswer,
  run: (args, call) => {
    coordinatorOnly(call)
    return call.doors.agents.reportExit(call.presented.who, {
      agentId: args.agent_id,
      projectId: args.project_id,
      remainingProcesses: args.remaining_processes,
      launchId: args.launch_id,
      exitCode: args.exit_code,
      signal: args.signal,
      reportId: args.report_id,
      epoch: args.epoch,
    })
  },
})
