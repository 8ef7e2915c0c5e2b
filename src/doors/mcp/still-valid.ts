/**
 * SE3: refuses a credential that was revoked while a call waited; of the answer it learns nothing.
 */
import { Refusal } from '../../domain/errors.ts'
import type { ToolCall } from './tool.ts'

export async function stillValid({ deps, presented }: ToolCall): Promise<void> {
  if (!(await deps.credentials.whoHas(presented.hash, presented.secret)))
    throw new Refusal('authentication_failed')
}
