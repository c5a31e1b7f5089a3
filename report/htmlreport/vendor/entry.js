// What the report uses of its graph library; see README.md for how the bundle is made.
export { default as Sigma } from "sigma";
export { EdgeRectangleProgram } from "sigma/rendering";
export { default as Graph } from "graphology";
