/** How to begin, said to every client when it connects (MC3). Never a secret, and nothing that only some agents need. */
export const instructions = `Holdfast tells an agent what to do next, brings it messages from people and takes its answers.

If you are an agent that works here:
1. Call authenticate with the agent_id and project_id you were given (in your prompt, or as HOLDFAST_AGENT_ID and HOLDFAST_PROJECT_ID in your environment). Leave passkey out if your connection carries your credential. If the answer is no_work, there is nothing to do: stop.
2. Call get_next_action and do what its instruction says. Then call it again, and go on like this until the action is exit. This loop is all there is; nothing else starts or stops you.
3. While you wait, call get_next_action with the longest wait_seconds your client can hold (50 if you do not know). The call returns the moment something happens. Do not poll.
4. Answer people with respond_chat only: they do not see anything else you write.
5. When the action is exit, stop. Call no other tool.

A result with isError has a code, a message, and in next what to do about it.`
