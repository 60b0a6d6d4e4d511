import { Context, Effect, Layer, Option, Schema } from "effect"
import { McpSchema, McpServer } from "effect/ai"

/** The smallest valid picture and sound. */
const image = {
  type: "image",
  data: Uint8Array.fromBase64(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
  ),
  mimeType: "image/png"
} as const
const audio = {
  type: "audio",
  data: Uint8Array.fromBase64("UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA="),
  mimeType: "audio/wav"
} as const

const text = (text: string) => ({ type: "text", text }) as const
const embedded = (uri: string, mimeType: string, text: string) =>
  ({ type: "resource", resource: { uri, mimeType, text } }) as const

const noArguments = { type: "object" } as const
const oneArgument = { type: "object", properties: { prompt: { type: "string" } } } as const

type Content = ConstructorParameters<typeof McpSchema.CallToolResult>[0]["content"]

const client = Effect.flatMap(Effect.serviceOption(McpSchema.McpServerClient), Effect.fromOption).pipe(Effect.orDie)

const request = Effect.flatMap(Effect.serviceOption(McpSchema.McpRequestContext), Effect.fromOption).pipe(Effect.orDie)

const log = (data: string) =>
  McpServer.McpServer.use(({ notifications }) => notifications["notifications/message"]({ level: "info", data }))

const progress = (progress: number) =>
  Effect.gen(function* () {
    const session = yield* Effect.serviceOption(McpSchema.McpServerClient)
    const { requestMetadata } = Option.isSome(session) ? session.value : yield* request
    const progressToken = requestMetadata?.["progressToken"]
    if (typeof progressToken !== "string" && typeof progressToken !== "number") return
    const { notifications } = yield* McpServer.McpServer
    yield* notifications["notifications/progress"]({ progressToken, progress, total: 100 })
  })

const sample = (prompt: string) =>
  Effect.gen(function* () {
    const { getClient } = yield* client
    const { createMessage } = yield* getClient
    const answer = yield* createMessage({
      messages: [{ role: "user", content: text(prompt) }],
      maxTokens: 100
    })
    return [text(`LLM response: ${JSON.stringify(answer.content)}`)]
  }).pipe(Effect.scoped, Effect.orDie)

const tool = (
  name: string,
  inputSchema: McpSchema.ToolJson,
  handle: (given: any) => Effect.Effect<Content, never, McpServer.McpServer>,
  isError = false
) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const server = yield* McpServer.McpServer
      yield* server.addTool({
        tool: new McpSchema.Tool({ name, description: `Fixture ${name}`, inputSchema }),
        annotations: Context.empty(),
        handle: (given) =>
          Effect.map(
            Effect.provideService(handle(given), McpServer.McpServer, server),
            (content) => new McpSchema.CallToolResult({ content, isError })
          )
      })
    })
  )

const tools = Layer.mergeAll(
  tool("test_simple_text", noArguments, () => Effect.succeed([text("This is a simple text response for testing.")])),
  tool("test_image_content", noArguments, () => Effect.succeed([image])),
  tool("test_audio_content", noArguments, () => Effect.succeed([audio])),
  tool("test_embedded_resource", noArguments, () =>
    Effect.succeed([embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")])
  ),
  tool("test_multiple_content_types", noArguments, () =>
    Effect.succeed([
      text("Multiple content types test:"),
      image,
      embedded("test://mixed-content-resource", "application/json", JSON.stringify({ test: "data", value: 123 }))
    ])
  ),
  tool("test_tool_with_logging", noArguments, () =>
    Effect.as(Effect.forEach(["started", "processing", "completed"], log), [text("Logged three times")])
  ),
  tool(
    "test_error_handling",
    noArguments,
    () => Effect.succeed([text("This tool intentionally returns an error for testing")]),
    true
  ),
  tool("test_tool_with_progress", noArguments, () =>
    Effect.as(Effect.forEach([0, 50, 100], progress), [text("Reported three times")])
  ),
  tool("test_sampling", oneArgument, ({ prompt }) => sample(String(prompt)))
)

const resources = Layer.mergeAll(
  McpServer.resource({
    uri: "test://static-text",
    name: "static-text",
    mimeType: "text/plain",
    content: Effect.succeed({
      contents: [
        { uri: "test://static-text", mimeType: "text/plain", text: "This is the content of the static text resource." }
      ]
    })
  }),
  McpServer.resource({
    uri: "test://static-binary",
    name: "static-binary",
    mimeType: "image/png",
    content: Effect.succeed({
      contents: [{ uri: "test://static-binary", mimeType: "image/png", blob: image.data }]
    })
  }),
  McpServer.resource`test://template/${McpSchema.param("id", Schema.String)}/data`({
    name: "template",
    mimeType: "application/json",
    content: (uri, id) =>
      Effect.succeed({
        contents: [
          {
            uri,
            mimeType: "application/json",
            text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` })
          }
        ]
      })
  })
)

const said = (...contents: ReadonlyArray<any>) =>
  Effect.succeed(contents.map((content) => ({ role: "user" as const, content })))

const prompts = Layer.mergeAll(
  McpServer.prompt({
    name: "test_simple_prompt",
    description: "Fixture test_simple_prompt",
    content: () => said(text("This is a simple prompt for testing."))
  }),
  McpServer.prompt({
    name: "test_prompt_with_arguments",
    description: "Fixture test_prompt_with_arguments",
    parameters: { arg1: Schema.String, arg2: Schema.String },
    completion: { arg1: () => Effect.succeed(["testValue1"]) },
    content: ({ arg1, arg2 }) => said(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))
  }),
  McpServer.prompt({
    name: "test_prompt_with_embedded_resource",
    description: "Fixture test_prompt_with_embedded_resource",
    parameters: { resourceUri: Schema.String },
    content: ({ resourceUri }) => said(embedded(resourceUri, "text/plain", "Embedded"), text("Please process it."))
  }),
  McpServer.prompt({
    name: "test_prompt_with_image",
    description: "Fixture test_prompt_with_image",
    content: () => said(image, text("Please analyze the image above."))
  })
)

/** Fixtures for the public conformance suite: every kind of content, and every request of a server to its client. */
export const layer = Layer.mergeAll(tools, resources, prompts)
