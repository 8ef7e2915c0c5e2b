/**
 * One lane of power cuts in a thread of its own: rebuilding and opening disks is what the bench
 * spends its time on.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { type PowerCutOptions, powerCuts } from '../power-cut/power-cut.ts'

parentPort?.postMessage(await powerCuts(workerData as PowerCutOptions))
