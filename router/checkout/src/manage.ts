import { start } from "./frame/main";
import { manage } from "./frame/manage";

start(manage);
