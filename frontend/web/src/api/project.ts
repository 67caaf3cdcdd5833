// Client for projects.
import { createClient } from "@connectrpc/connect";
import {
  MemberAction,
  type Project,
  ProjectAction,
  ProjectService,
} from "#proto/project";
import { transport } from "./transport";

export const projectClient = createClient(ProjectService, transport);

// `project` is absent if it was deleted or the user can no longer see it.
type Response = Promise<{ readonly project?: Project | undefined }>;

// Calls the method of an action that Project.may contains.
export function applyProjectAction(
  action: ProjectAction,
  projectId: string,
): Response {
  const request = { projectId };
  switch (action) {
    case ProjectAction.APPROVE:
      return projectClient.approveProject(request);
    case ProjectAction.REJECT:
      return projectClient.rejectProject(request);
    case ProjectAction.CLOSE:
      return projectClient.closeProject(request);
    case ProjectAction.REOPEN:
      return projectClient.reopenProject(request);
    default:
      throw new Error(`project action ${action} has a form of its own`);
  }
}

// Calls the method of an action that ProjectMember.may contains.
export function applyMemberAction(
  action: MemberAction,
  projectId: string,
  username: string,
): Response {
  const own = { projectId };
  const request = { projectId, username };
  switch (action) {
    case MemberAction.ACCEPT:
      return projectClient.acceptInvitation(own);
    case MemberAction.DECLINE:
      return projectClient.declineInvitation(own);
    case MemberAction.WITHDRAW:
      return projectClient.withdrawMembershipRequest(own);
    case MemberAction.LEAVE:
      return projectClient.leaveProject(own);
    case MemberAction.APPROVE:
      return projectClient.approveMember(request);
    case MemberAction.REJECT:
      return projectClient.rejectMember(request);
    case MemberAction.REVOKE:
      return projectClient.revokeInvitation(request);
    case MemberAction.REMOVE:
      return projectClient.removeMember(request);
    case MemberAction.CONFIRM:
      return projectClient.confirmMember(request);
    case MemberAction.REFUSE:
      return projectClient.refuseMember(request);
    case MemberAction.PROMOTE:
      return projectClient.promoteMember(request);
    case MemberAction.DEMOTE:
      return projectClient.demoteManager(request);
    case MemberAction.TRANSFER_OWNERSHIP:
      return projectClient.transferOwnership(request);
    default:
      throw new Error(`unknown member action ${action}`);
  }
}
