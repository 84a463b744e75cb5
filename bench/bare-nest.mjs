// Cold-start baseline: a Nest application on Fastify that has one route and does no work. `bare-nest.mjs PORT`
import 'reflect-metadata';
import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';

class Ready {
  ready() {
    return { status: 'ready' };
  }
}
Get('readyz')(Ready.prototype, 'ready', Object.getOwnPropertyDescriptor(Ready.prototype, 'ready'));
Controller()(Ready);
class Application {} // eslint-disable-line @typescript-eslint/no-extraneous-class -- Nest's modules are empty classes
Module({ controllers: [Ready] })(Application);

const application = await NestFactory.create(Application, new FastifyAdapter(), { logger: false });
await application.listen(Number(process.argv[2]), '127.0.0.1');
