import { NestFactory } from '@nestjs/core';
import type { DynamicModule, INestApplication, LoggerService, Type } from '@nestjs/common';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { installKernel, type Kernel, type KernelOptions } from './kernel.js';
import { createServer, type ServerOptions } from './server.js';
import { installRoutes, Services, type Controller } from './routes.js';

/**
 * Nest's adapter without the parts that the kernel replaces: body parsers, middleware, and the error and not-found
 * handlers.
 */
export class KernelAdapter extends FastifyAdapter {
  /**
   * Ignores the hooks that Nest adds for features that the service does not use, because they would run for every
   * request. The kernel checks request targets itself.
   */
  constructor(server: FastifyInstance) {
    super(Object.create(server, { addHook: { value: () => server } }) as never);
    this.setInstance(server);
  }

  /**
   * Does not install middie, because its hook would run for every request, and encoded paths bypass middleware that is
   * bound to a path.
   */
  override init(): Promise<void> {
    return Promise.resolve();
  }

  override registerParserMiddleware(): void {
    // Registers nothing, because the kernel's JSON parser is the only body parser.
  }

  override setErrorHandler(): ReturnType<FastifyAdapter['setErrorHandler']> {
    return this.getInstance();
  }

  override setNotFoundHandler(): ReturnType<FastifyAdapter['setNotFoundHandler']> {
    return this.getInstance();
  }
}

export type HttpApp = {
  readonly app: NestFastifyApplication;
  readonly server: FastifyInstance;
  readonly kernel: Kernel;
};

/**
 * Creates a Nest application with the kernel, but does not initialize it. `kernelOptions` is called after providers are
 * created and before routes are registered. `beforeRoutes` can register additional routes. `controllers` contains the
 * routes that Nest's providers handle.
 */
export async function createHttpApp(
  module: Type | DynamicModule,
  kernelOptions: (app: INestApplication) => KernelOptions | Promise<KernelOptions>,
  options: ServerOptions & {
    readonly logger?: LoggerService | false;
    readonly beforeRoutes?: (server: FastifyInstance, kernel: Kernel) => void | Promise<void>;
    readonly controllers?: readonly Controller[];
  } = {},
): Promise<HttpApp> {
  const server = createServer(options);
  // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- Nest's option classes are shapes
  const app = await NestFactory.create<NestFastifyApplication>(module, new KernelAdapter(server), {
    bodyParser: false,
    abortOnError: false,
    logger: options.logger ?? false,
  });
  const kernel = installKernel(server, await kernelOptions(app));
  await options.beforeRoutes?.(server, kernel);
  installRoutes(server, options.controllers ?? [], app.get(Services));
  return { app, server, kernel };
}
