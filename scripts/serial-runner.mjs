// Jest runner for suites that must run alone on the machine. Runs them in the main process while all workers are idle.
import TestRunner from 'jest-runner';

export default class SerialRunner extends TestRunner {
  isSerial = true;
}
