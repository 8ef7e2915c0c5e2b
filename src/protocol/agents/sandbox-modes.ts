/** The sandboxes that can be chosen, for the page, without a validator. */
export { sandboxModes } from '../../domain/agents/isolation.ts'
