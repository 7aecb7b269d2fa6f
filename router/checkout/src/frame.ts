import { start } from "./frame/main";

start();
